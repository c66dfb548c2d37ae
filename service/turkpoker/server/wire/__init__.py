"""Translation between turkpoker.v1 and the values of engine and table; decides nothing about visibility."""
