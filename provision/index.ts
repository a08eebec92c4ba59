export { DataDirectoryInUseError, NoWayFoundError, ProvisionError } from './errors';
export { type PostgresOptions, type ProvidedPostgres, providePostgres } from './postgres';
export { type ProvidedTemporal, provideTemporal, type TemporalOptions } from './temporal';
export { temporalAnswers } from './temporal-answers';
export { type ProvidedTemporalCluster, provideTemporalCluster, type TemporalClusterOptions } from './temporal-cluster';
export { SECOND_SCHEDULER } from './temporal-cluster-config';
export { SERVER_VERSIONS } from './temporal-cluster-executable';
export { provideTestServer, type TestServerOptions } from './test-server';
