export { migrate } from './migrate';
export { migrations, SCHEMA_VERSION } from './record';
export { migrationStatements } from './statements';
