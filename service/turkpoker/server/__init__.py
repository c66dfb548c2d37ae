"""The gRPC server: services, interceptors, settings, watch hub, clock keeper and command line."""
