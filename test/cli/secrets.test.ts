import { inject, it } from 'vitest';
import { pinoLogger } from '../../trigger/logging';
import { useApi } from '../support/api';
import { temporaryFile } from '../support/folder';
import { someSchedule } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { expectNone, KEY_WITH_LINE_END, SECRETS } from '../support/secrets';

const api = useApi();

/** A database that does not exist, with a password in its URL. */
function noDatabase(): string {
  const url = new URL(api().ledger.databaseUrl);
  url.password = SECRETS.databasePassword;
  url.pathname = '/nowhere';
  return url.href;
}

it('no command prints a secret that it was given, whatever fails', async () => {
  const file = await temporaryFile('password', SECRETS.databasePassword);
  const temporal = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_API_KEY: SECRETS.temporalKey, TEMPORAL_TLS: 'false' };
  const alert = { ESCAPEMENT_ALERT_SECRET: SECRETS.webhook, ESCAPEMENT_PAGERDUTY_KEY: SECRETS.routingKey };
  const list = ['schedule', 'list'];
  const audit = ['audit', '--native', '--from', '2026-03-01T00:00:00Z'];
  const typos = [`"${SECRETS.temporalKey}`, SECRETS.temporalKey, `"${SECRETS.temporalKey}"\nx`];
  const files = await Promise.all(
    typos.map((value, index) => temporaryFile(`typo-${index}.toml`, `[profile.default]\napi_key = ${value}\n`)),
  );
  const cases: [args: string[], env: Record<string, string>][] = [
    [list, { DATABASE_URL: noDatabase() }],
    [list, { DATABASE_URL: `postgres://escapement:${SECRETS.databasePassword}@127.0.0.1:1/ledger` }],
    [list, { DATABASE_URL: `postgres://escapement:${SECRETS.databasePassword}/#@127.0.0.1/ledger` }],
    [list, { DATABASE_URL: `host=127.0.0.1 password=${SECRETS.databasePassword}` }],
    [[...list, '--database-password-command', `cat ${file}; exit 1`], { DATABASE_URL: 'postgres://u@127.0.0.1/l' }],
    [['doctor'], { ...temporal, DATABASE_URL: api().ledger.databaseUrl }],
    [audit, temporal],
    [audit, { ...temporal, TEMPORAL_API_KEY: KEY_WITH_LINE_END }],
    [audit, { ...temporal, TEMPORAL_API_KEY: '', TEMPORAL_GRPC_META_AUTHORIZATION: KEY_WITH_LINE_END }],
    ...files.map((path): [string[], Record<string, string>] => [audit, { TEMPORAL_CONFIG_FILE: path }]),
    [['alert', 'test', `http://ops:${SECRETS.databasePassword}@127.0.0.1:9/`], alert],
    [['alert', 'test', `slack+http://127.0.0.1:9/services/${SECRETS.slackPath}`], alert],
    [['alert', 'test', 'pagerduty+http://127.0.0.1:9/enqueue'], alert],
    [['alert', 'test', 'http://127.0.0.1:9/'], { ...alert, ESCAPEMENT_ALERT_SECRET: `${SECRETS.webhook}!` }],
    [
      ['run', '--alert-webhook', 'http://127.0.0.1:9/'],
      { ...alert, DATABASE_URL: noDatabase(), TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_API_KEY: KEY_WITH_LINE_END },
    ],
  ];
  for (const [args, env] of cases) {
    const { code, stdout, stderr } = await runCommand(args, { ESCAPEMENT_LOG_LEVEL: 'trace', ...env });
    expectNone(`${args.join(' ')} exits with ${code}`, [stdout, stderr], { failed: code !== 0 });
  }
});

it('a trigger writes no secret into its log or into the ledger, at any level and whatever fails', async () => {
  const { ledger } = api();
  const lines: string[] = [];
  const url = `http://127.0.0.1:9/services/${SECRETS.slackPath}`;
  const { passes } = await ledger.trigger({
    logger: pinoLogger('trace', { write: (line) => lines.push(line) }),
    connection: { address: inject('temporalAddress'), tls: false, apiKey: SECRETS.temporalKey },
    namespaces: { billing: { connection: { address: inject('temporalAddress'), apiKey: () => KEY_WITH_LINE_END } } },
    alerts: {
      webhooks: [
        { url: `${url}/generic`, secret: SECRETS.webhook },
        { url, format: 'slack' },
        { url: `${url}/events`, format: 'pagerduty', routingKey: SECRETS.routingKey },
      ],
    },
  });
  await ledger.client.create(someSchedule({ namespace: 'billing' }));
  await ledger.client.create(someSchedule({ namespace: 'nowhere' }));
  ledger.clock.set('2026-03-01T01:00:01Z');
  await passes.claim();
  for (const at of ['2026-03-01T01:00:02Z', '2026-03-01T01:02:00Z', '2026-03-01T01:03:00Z']) {
    ledger.clock.set(at);
    await passes.dispatch();
    await passes.reconcile();
    await passes.observe();
    await passes.alert();
    await passes.sendAlerts();
  }
  expectNone('the log', lines, { failed: lines.some((line) => line.includes('a webhook does not accept alerts')) });
  const tables = await ledger.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'escapement'::regnamespace and relkind in ('r', 'p')`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    rows.push(
      ...(await ledger.query(`select to_jsonb(t)::text as row from escapement.${name} t`)).map(({ row }) => row),
    );
  }
  expectNone('the ledger', rows, { failed: rows.some((row) => row.includes('fetch failed')) });
});

it('a server writes no token and no body into its log, whatever fails', async () => {
  const lines: string[] = [];
  const nowhere = 'http://127.0.0.1:9/keys';
  const { app } = api().open({
    logger: pinoLogger('trace', { write: (line) => lines.push(line) }),
    oidc: { issuer: nowhere, audience: 'escapement', jwksUrl: nowhere },
  });
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'first' })).toString('base64url');
  const answers: string[] = [];
  for (const authorization of [
    `Bearer ${SECRETS.apiToken}`,
    `Basic ${SECRETS.apiToken}`,
    `Bearer ${header}.${SECRETS.apiToken}.${SECRETS.apiToken}`,
  ]) {
    const headers = { authorization, 'content-type': 'application/json' };
    for (const payload of ['{', JSON.stringify({ [SECRETS.slackPath]: 1 })]) {
      const answer = await app.inject({ method: 'POST', url: '/v1/schedules', headers, payload });
      answers.push(answer.body.replaceAll(SECRETS.slackPath, ''));
    }
  }
  expectNone('the log', [...lines, ...answers], { failed: lines.length > 0 });
});
