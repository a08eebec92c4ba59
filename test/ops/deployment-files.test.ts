import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../cli/program';
import { version } from '../../version';
import {
  type Compose,
  type Container,
  composeFile,
  dockerfile,
  kubernetes,
  type Manifest,
  type Pod,
  UNITS,
  unit,
} from '../support/deployment/deployment-files';

const ROOT = resolve(__dirname, '../..');
const command = program({ temporal: () => ({ connectionOptions: {} }) } as never);
const { services }: Compose = composeFile();
const manifests = kubernetes();
const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
const pods = manifests.flatMap(({ kind, metadata, spec }): [string, Pod][] =>
  ['Deployment', 'Job'].includes(kind) ? [[metadata.name, spec.template]] : [],
);
const containers = pods.flatMap(([name, { spec }]): [string, Pod, Container][] =>
  [...(spec.initContainers ?? []), ...spec.containers].map((one) => [`${name}/${one.name}`, { spec } as Pod, one]),
);
const imaged = Object.entries(services).filter(([, { image }]) => image.startsWith('escapement'));

/** What of a command's arguments the program does not know. */
function unknownOf(args: readonly string[]): string[] {
  let at: Command = command;
  const rest = [...args];
  for (
    let next = at.commands.find((one) => one.name() === rest[0]);
    next;
    next = at.commands.find((one) => one.name() === rest[0])
  ) {
    at = next;
    rest.shift();
  }
  const flags = rest.filter((arg) => arg.startsWith('--'));
  const missing = at === command || at.commands.length > 0 ? [`no command: ${args.join(' ')}`] : [];
  return [...missing, ...flags.filter((flag) => !at.options.some(({ long }) => long === flag))];
}

describe('each file of ops/ that deploys', () => {
  it('runs commands and options that there are', () => {
    const { entrypoint, command: byDefault } = dockerfile();
    expect(entrypoint).toEqual(['node', '/app/node_modules/escapement/dist/cli/main.js']);
    const run = [
      byDefault,
      ...imaged.map(([, one]) => one.command!),
      ...containers.map(([, , { args }]) => args),
      ...UNITS.flatMap((name) => unit(name).commands),
    ];
    expect(run.length).toBeGreaterThan(12);
    expect(run.flatMap(unknownOf)).toEqual([]);
    expect(unknownOf(['run', '--metrics'])).toEqual(['--metrics']);
  });

  it('names an image of this version, and never the latest', () => {
    const images = [
      ...Object.values(services).map(({ image }) => image),
      ...containers.map(([, , { image }]) => image),
    ];
    expect(images.filter((image) => !/:(?!latest)[\w.-]+$/.test(image))).toEqual([]);
    expect(new Set(images.filter((image) => image.startsWith('escapement')))).toEqual(
      new Set([`escapement:${version}`]),
    );
    expect(readFileSync(join(ROOT, 'ops/docker/Dockerfile'), 'utf8')).toContain(`--tag escapement:${version} .`);
    expect(manifests.find(({ kind }) => kind === 'Kustomization')!.images).toMatchObject([{ newTag: version }]);
  });

  it('is in the package', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).files).toContain('ops');
  });
});

describe('ops/kubernetes', () => {
  it('has in its kustomization each file but those that go before it', () => {
    const { resources } = manifests.find(({ kind }) => kind === 'Kustomization')!;
    const others = ['kustomization.yaml', 'migrate.yaml', 'secret.example.yaml'];
    expect([...resources!, ...others].sort()).toEqual(readdirSync(join(ROOT, 'ops/kubernetes')).sort());
  });

  it('takes from secrets keys that the example has', () => {
    const secrets = new Map(
      manifests.filter(({ kind }) => kind === 'Secret').map((one) => [one.metadata.name, one.stringData!]),
    );
    for (const [name, , { env = [], envFrom = [] }] of containers) {
      for (const { valueFrom } of env) {
        if (valueFrom)
          expect(secrets.get(valueFrom.secretKeyRef.name), name).toHaveProperty(valueFrom.secretKeyRef.key);
      }
      for (const { secretRef } of envFrom) expect([...secrets.keys()], name).toContain(secretRef.name);
    }
  });

  it.each(containers)('%s runs without root, on a file system that is read-only, within bounds', (_, { spec }, one) => {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(one.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(one.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });

  it.each(deployments.map((one): [string, Manifest] => [one.metadata.name, one]))(
    '%s has probes at ports that it opens, time for its drain, and a budget and services that select it',
    (name, { spec }) => {
      const [container] = spec.template.spec.containers;
      const ports = container!.ports!.map((port) => port.name);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path, port } = container![probe]!.httpGet;
        expect([probe, path, ports.includes(port)]).toEqual([
          probe,
          probe === 'readinessProbe' ? '/readyz' : '/healthz',
          true,
        ]);
      }
      const { labels } = spec.template.metadata;
      expect(spec.selector.matchLabels).toEqual(labels);
      const budgets = manifests.filter((one) => one.kind === 'PodDisruptionBudget' && one.metadata.name === name);
      expect(budgets.map((one) => [one.spec.selector.matchLabels, one.spec.minAvailable < spec.replicas])).toEqual([
        [labels, true],
      ]);
      for (const service of manifests.filter((one) => one.kind === 'Service' && one.metadata.name === name)) {
        expect(service.spec.selector).toEqual(labels);
        for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
      }
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
    },
  );
});

describe('ops/compose', () => {
  it('starts each service after those that it needs, and connects by roles and databases that there are', () => {
    const roles = readFileSync(join(ROOT, 'ops/compose/roles.sql'), 'utf8');
    for (const [name, { depends_on: needs = {}, environment = {} }] of Object.entries(services)) {
      for (const needed of Object.keys(needs)) expect(services, name).toHaveProperty(needed);
      const { DATABASE_URL: url } = environment;
      if (!url) continue;
      const { username, password, hostname, pathname } = new URL(url);
      expect(roles).toContain(`create role ${username} login password '${password}';`);
      expect(roles).toContain(`create database ${pathname.slice(1)} owner`);
      expect(services).toHaveProperty(hostname);
    }
  });

  it.each(imaged)('%s runs on a file system that is read-only, without capabilities, within bounds', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.any(String),
    });
  });

  it('opens ports on this machine alone', () => {
    const ports = Object.values(services).flatMap((one) => one.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

describe('ops/systemd', () => {
  it('serves to a proxy only with a token, since to the server a proxy is this machine', () => {
    const [command] = unit('escapement-serve').commands;
    expect(command).toEqual(expect.arrayContaining(['--host', '127.0.0.1', '--require-token']));
  });

  it.each(UNITS)('%s runs as a user of its own that may write nothing', (name) => {
    const { settings } = unit(name);
    for (const [key, value] of Object.entries({
      DynamicUser: 'yes',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      CapabilityBoundingSet: '',
      MemoryMax: '512M',
    })) {
      expect([key, settings.get(key)]).toEqual([key, value]);
    }
  });
});

describe('docs/deploying.md', () => {
  const page = readFileSync(join(ROOT, 'docs/deploying.md'), 'utf8');
  const lines = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, text]) =>
    text!.split('\n').map((line) => line.trim()),
  );
  const starting = (word: string) => lines.filter((line) => line.startsWith(`${word} `));

  it('makes the roles that the compose file makes, and runs as the owner what the job, the services and the unit run', () => {
    const statements = (text: string) => text.split('\n').filter((line) => /^create /.test(line));
    const [, sql] = /```sql\n([\s\S]*?)```/.exec(page)!;
    expect(statements(sql!)).toEqual(statements(readFileSync(join(ROOT, 'ops/compose/roles.sql'), 'utf8')));
    const commands = starting('escapement').map((line) => line.split(' ').slice(1));
    expect(commands.length).toBe(3);
    expect(unit('escapement-migrate').commands).toEqual(commands);
    expect(containers.filter(([name]) => name.startsWith('escapement-migrate/')).map(([, , { args }]) => args)).toEqual(
      commands,
    );
    const owned = imaged.filter(([, { environment }]) => environment?.DATABASE_URL?.includes('_owner:'));
    expect(owned.map(([, one]) => one.command)).toEqual(commands);
  });

  it('names files, objects, services and units that there are', () => {
    for (const [, path] of page.matchAll(/(ops\/[\w./-]*\w)/g)) expect(existsSync(join(ROOT, path!)), path).toBe(true);
    const objects = new Set(manifests.map(({ kind, metadata }) => `${kind?.toLowerCase()}/${metadata?.name}`));
    const named = [...page.matchAll(/\b(?:deployment|job)[/ ](escapement-[\w-]+)/g)].map(([text]) =>
      text!.replace(' ', '/'),
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((one) => !objects.has(one))).toEqual([]);
    const units = starting('systemctl').flatMap((line) => line.match(/escapement-\w+/g)!);
    expect(units.filter((one) => !UNITS.includes(one))).toEqual([]);
    expect(units.sort()).toEqual([...UNITS].sort());
    const [, service] = / run --rm (\w+)$/m.exec(lines.join('\n'))!;
    expect(services).toHaveProperty(service!);
    expect(page).toContain(`--tag escapement:${version} .`);
  });
});
