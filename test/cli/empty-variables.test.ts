import { expect, it } from 'vitest';
import { environmentOf } from '../../cli/command';
import { runCommand } from '../support/processes/command';

const NAMES = [
  'DATABASE_URL',
  'ESCAPEMENT_DATABASE_PASSWORD_COMMAND',
  'ESCAPEMENT_SCHEMA',
  'ESCAPEMENT_IDENTITY',
  'ESCAPEMENT_TENANT',
  'ESCAPEMENT_LOG_LEVEL',
  'NO_COLOR',
  'ESCAPEMENT_METRICS_PORT',
  'ESCAPEMENT_ALERT_SECRET',
  'ESCAPEMENT_PAGERDUTY_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
  'TEMPORAL_ADDRESS',
  'ESCAPEMENT_NAMESPACE_PROFILES',
];

it('an empty variable counts as not set, whichever it is', () => {
  const { temporal: _, ...unset } = environmentOf({});
  const { temporal: __, ...empty } = environmentOf(Object.fromEntries(NAMES.map((name) => [name, ''])));
  expect(empty).toEqual(unset);
  const { s3 } = environmentOf({ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-1' });
  expect(s3).toMatchObject({ region: 'eu-west-1' });
});

it.each(['run', 'serve'])('%s names the variable whose level it does not know', async (command) => {
  const port = command === 'serve' ? ['--port', '0'] : [];
  const variables = { DATABASE_URL: 'postgres://127.0.0.1:1/none', ESCAPEMENT_LOG_LEVEL: 'warning' };
  expect(await runCommand([command, ...port], variables)).toMatchObject({
    code: 1,
    stderr: "escapement: ESCAPEMENT_LOG_LEVEL: 'warning' is no level; use trace, debug, info, warn, error",
  });
});
