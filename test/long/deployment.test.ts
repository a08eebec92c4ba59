import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EscapementClient } from '../../index';
import { freePort } from '../../provision/ports';
import { run } from '../../provision/run';
import { hasProgram, installed, ledgerAt, postgresWithRoles, untilProbed } from '../support/deployment/deployed';
import {
  type Container,
  composeFile,
  dockerfile,
  kubernetes,
  UNITS,
  unit,
} from '../support/deployment/deployment-files';
import { temporaryFolder } from '../support/folder';
import { someSchedule } from '../support/ledger';

const OPS = resolve(__dirname, '../../ops');
const image = dockerfile();
const EVERY_SECOND = someSchedule({
  scheduleId: 'each-second',
  spec: { cron: '* * * * * *' },
  policies: { overlap: 'ALLOW_ALL' },
});

it('ops/kubernetes: the migration runs beside triggers that fire, probes answer, pods are replaced, and each occurrence starts once', async () => {
  const postgres = await postgresWithRoles();
  const { start, run: runToEnd } = await installed();
  const manifests = kubernetes();
  const secrets: Record<string, Record<string, string>> = {
    'escapement-postgres': Object.fromEntries(
      ['owner', 'trigger', 'client'].map((role) => [
        `${role.toUpperCase()}_DATABASE_URL`,
        postgres.as(`escapement_${role}`),
      ]),
    ),
    'escapement-temporal': { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'default' },
  };
  const environmentOf = ({ env = [], envFrom = [] }: Container) =>
    Object.assign(
      { ...image.environment, PATH: process.env.PATH! },
      ...envFrom.map(({ secretRef }) => secrets[secretRef.name]),
      ...env.map(({ name, value, valueFrom }) => ({
        [name]: value ?? secrets[valueFrom!.secretKeyRef.name]![valueFrom!.secretKeyRef.key]!,
      })),
    );
  const job = manifests.find(({ kind }) => kind === 'Job')!.spec.template.spec;
  const migrate = async () => {
    for (const container of [...job.initContainers!, ...job.containers]) {
      const { code, output } = await runToEnd([...image.entrypoint, ...container.args], environmentOf(container));
      expect({ container: container.name, code, output }).toMatchObject({ code: 0 });
    }
  };
  await migrate();

  const podOf = (name: string) =>
    manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)!.spec;
  /** Run a pod as a cluster does: on its own ports, until it is ready. */
  const startPod = async (name: string) => {
    const [container] = podOf(name).template.spec.containers;
    const port = await freePort();
    const opened = String(container!.ports![0]!.containerPort);
    const args = container!.args.map((arg) => (arg === opened ? String(port) : arg));
    const env = environmentOf(container!);
    if (env.ESCAPEMENT_METRICS_PORT === opened) env.ESCAPEMENT_METRICS_PORT = String(port);
    const pod = await start([...image.entrypoint, ...args], env);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      await untilProbed(port, container![probe]!.httpGet.path);
    }
    return { ...pod, port, url: `http://127.0.0.1:${port}` };
  };
  const grace = podOf('escapement-trigger').template.spec.terminationGracePeriodSeconds!;
  const pods = [];
  for (let one = 0; one < podOf('escapement-trigger').replicas; one++) pods.push(await startPod('escapement-trigger'));

  const client = new EscapementClient({ connectionString: postgres.as('escapement_client') });
  await client.create(EVERY_SECOND);
  const ledger = await ledgerAt(postgres.as('escapement_owner'));
  await ledger.untilStarted(2);
  // The next deploy: another migration, then a new pod for each old one before that one stops.
  await migrate();
  for (const former of pods.splice(0)) {
    pods.push(await startPod('escapement-trigger'));
    expect(await former.stop(grace)).toEqual({ code: 0, signal: null });
  }
  await ledger.untilStarted((await ledger.tally()).firings + 3);

  const serving = podOf('escapement-serve').template.spec.containers[0]!;
  const withoutToken = await runToEnd([...image.entrypoint, ...serving.args], environmentOf(serving));
  expect(withoutToken).toMatchObject({ code: 1, output: expect.stringContaining('make a token') });
  const asClient = environmentOf(serving);
  const made = await runToEnd([...image.entrypoint, 'token', 'create', 'ops', '--scope', 'read', '--json'], asClient);
  const { token } = JSON.parse(made.output);
  const api = await startPod('escapement-serve');
  const answer = await fetch(`${api.url}/v1/schedules/each-second`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect(await api.stop(podOf('escapement-serve').template.spec.terminationGracePeriodSeconds!)).toEqual({
    code: 0,
    signal: null,
  });

  for (const pod of pods) expect(await pod.stop(grace)).toEqual({ code: 0, signal: null });
  await client.close();
  const { firings, seconds, left } = await ledger.tally();
  expect({ firings, left }).toEqual({ firings: seconds, left: 0 });
  expect(await ledger.query('select 1 from escapement.gaps')).toEqual([]);
  if (hasProgram('kubectl')) {
    const built = await run('kubectl', ['kustomize', join(OPS, 'kubernetes')]);
    expect(
      parseAllDocuments(built.output)
        .map((one) => one.toJS().kind)
        .sort(),
    ).toEqual(['Deployment', 'Deployment', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service']);
  }
});

it('ops/compose: services start in the order that they name, are healthy, and stop in time', async () => {
  const postgres = await postgresWithRoles();
  const { start, run: runToEnd } = await installed();
  const { services } = composeFile();
  const environmentOf = (name: string) => {
    const { environment: { DATABASE_URL, TEMPORAL_ADDRESS } = {} } = services[name]!;
    const url = new URL(DATABASE_URL!);
    url.host = postgres.address;
    return {
      ...image.environment,
      PATH: process.env.PATH!,
      DATABASE_URL: url.href,
      ...(TEMPORAL_ADDRESS && { TEMPORAL_ADDRESS: inject('temporalAddress') }),
    };
  };
  const running: { name: string; stop: () => Promise<unknown> }[] = [];
  const done = new Set<string>();
  const up = async (name: string): Promise<void> => {
    if (done.has(name)) return;
    done.add(name);
    const { image: named, command, depends_on: needs = {}, ...service } = services[name]!;
    for (const needed of Object.keys(needs)) await up(needed);
    if (!named.startsWith('escapement')) return;
    const words = [...image.entrypoint, ...command!];
    if (service.healthcheck?.disable) {
      const { code, output } = await runToEnd(words, environmentOf(name));
      return expect({ name, code, output }).toMatchObject({ code: 0 });
    }
    for (let replica = 0; replica < (service.deploy?.replicas ?? 1); replica++) {
      const port = String(await freePort());
      // The API has its port, and serves its metrics at the one of the image.
      const env = { ...environmentOf(name), ESCAPEMENT_METRICS_PORT: String(await freePort()) };
      const one = await start(
        words.map((word) => (word === '8080' ? port : word)),
        env,
      );
      const check = (service.healthcheck?.test?.slice(1) ?? image.healthcheck).map((word) =>
        word.replace(':8080/', `:${port}/`),
      );
      await expect.poll(async () => (await runToEnd(check, env)).code, { timeout: 60_000 }).toBe(0);
      const graceSeconds = Number.parseInt(service.stop_grace_period ?? '10s', 10);
      running.push({ name, stop: () => one.stop(graceSeconds) });
    }
  };
  // `serve` needs a token, which `docker compose run token` makes.
  for (const name of Object.keys(services).sort((one) => (one === 'serve' ? 1 : -1))) await up(name);
  expect(running.map(({ name }) => name).sort()).toEqual(['serve', 'trigger', 'trigger']);
  const client = new EscapementClient({ connectionString: postgres.as('escapement_client') });
  await client.create(EVERY_SECOND);
  await (await ledgerAt(postgres.as('escapement_owner'))).untilStarted(2);
  await client.close();
  for (const { stop } of running) expect(await stop()).toEqual({ code: 0, signal: null });
  const silent = { ...image.environment, PATH: process.env.PATH!, ESCAPEMENT_METRICS_PORT: String(await freePort()) };
  expect((await runToEnd(image.healthcheck, silent)).code).toBe(1);
  // An empty variable counts as not set: the trigger serves no metrics, so there is nothing to check.
  expect((await runToEnd(image.healthcheck, { ...silent, ESCAPEMENT_METRICS_PORT: '' })).code).toBe(0);
});

it('ops/systemd: units run as they stand, stop in time, and are such as systemd reads', async () => {
  const postgres = await postgresWithRoles();
  const { start, run: runToEnd } = await installed();
  const roles: Record<string, string> = { migrate: 'owner', trigger: 'trigger', serve: 'client' };
  const environmentOf = (name: string) => {
    const { settings } = unit(name);
    const set = Object.fromEntries(
      settings
        .get('Environment')!
        .split(' ')
        .map((one) => one.split('=') as [string, string]),
    );
    const role = roles[name.replace('escapement-', '')]!;
    // As /etc/escapement/*.env has it.
    const url = postgres.as(`escapement_${role}`);
    return { ...set, DATABASE_URL: url, ...(role === 'owner' ? {} : { TEMPORAL_ADDRESS: inject('temporalAddress') }) };
  };
  for (const words of unit('escapement-migrate').words) {
    const { code, output } = await runToEnd(words, environmentOf('escapement-migrate'));
    expect({ words, code, output }).toMatchObject({ code: 0 });
  }
  const [serving] = unit('escapement-serve').words;
  const asClient = environmentOf('escapement-serve');
  const withoutToken = await runToEnd(serving!, asClient);
  expect(withoutToken).toMatchObject({ code: 1, output: expect.stringContaining('make a token') });
  const make = [...serving!.slice(0, 2), 'token', 'create', 'ops', '--scope', 'read'];
  expect(await runToEnd(make, asClient)).toMatchObject({ code: 0 });
  for (const name of ['escapement-trigger', 'escapement-serve']) {
    const { words, settings } = unit(name);
    const port = await freePort();
    const set: Record<string, string> = environmentOf(name);
    const env = set.ESCAPEMENT_METRICS_PORT ? { ...set, ESCAPEMENT_METRICS_PORT: String(port) } : set;
    const service = await start(
      words[0]!.map((word) => (word === '8080' ? String(port) : word)),
      env,
    );
    await untilProbed(port, '/readyz');
    expect(await service.stop(Number(settings.get('TimeoutStopSec')))).toEqual({ code: 0, signal: null });
  }
  if (hasProgram('systemd-analyze')) {
    const files = UNITS.map((name) => join(OPS, 'systemd', `${name}.service`));
    const { code, output } = await run('systemd-analyze', ['verify', ...files]);
    // The programs that they run lie on the hosts that they are for.
    const problems = output.split('\n').filter((line) => line.trim() && !/Command .* is not executable/.test(line));
    expect({ problems, ...(problems.length === 0 ? {} : { code }) }).toEqual({ problems: [] });
  }
});

it('a command that is the first process of a container ends at SIGTERM, also where it leaves signals alone', async () => {
  const { start } = await installed();
  const folder = await temporaryFolder();
  const postgres = await postgresWithRoles();
  const asked = join(folder, 'asked');
  const url = new URL(postgres.as('escapement_owner'));
  url.password = '';
  const waiting = await start(
    [...image.entrypoint, 'db', 'migrate', '--database-password-command', `touch '${asked}'; exec sleep 8`],
    {
      DATABASE_URL: url.href,
    },
  );
  await expect.poll(() => existsSync(asked)).toBe(true);
  expect((await waiting.stop(5)).signal).not.toBe('SIGKILL');
  expect(waiting.process.errors).toEqual([]);
});
