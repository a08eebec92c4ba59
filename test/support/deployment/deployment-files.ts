import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const OPS = resolve(__dirname, '../../../ops');
const read = (path: string) => readFileSync(join(OPS, path), 'utf8');

/** A service of ops/compose. */
export interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  stop_grace_period?: string;
  deploy?: { replicas: number };
}

export interface Compose {
  services: Record<string, Service>;
}

interface Probe {
  httpGet: { path: string; port: string };
}

/** A container of ops/kubernetes. */
export interface Container {
  name: string;
  image: string;
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  envFrom?: { secretRef: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  securityContext: object;
  resources: object;
}

export interface Pod {
  metadata: { labels: Record<string, string> };
  spec: { initContainers?: Container[]; containers: Container[]; terminationGracePeriodSeconds?: number };
}

/** A document of ops/kubernetes. Its kind decides which fields it has. */
export interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    replicas: number;
    minAvailable: number;
    selector: Record<string, string> & { matchLabels: Record<string, string> };
    ports: { targetPort: string }[];
    template: Pod;
  };
  stringData?: Record<string, string>;
  resources?: string[];
  images?: object[];
}

export function composeFile(): Compose {
  return parse(read('compose/compose.yaml'), { merge: true });
}

/** Each document of each file. */
export function kubernetes(): Manifest[] {
  return readdirSync(join(OPS, 'kubernetes')).flatMap((file) =>
    parseAllDocuments(read(`kubernetes/${file}`)).map((document) => {
      const [problem] = [...document.errors, ...document.warnings];
      if (problem) throw problem;
      return document.toJS() as Manifest;
    }),
  );
}

/** The instructions of ops/docker/Dockerfile that say what runs. */
export function dockerfile(): {
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
  environment: Record<string, string>;
} {
  const text = read('docker/Dockerfile').replaceAll(/\\\n\s*/g, '');
  const last = (pattern: RegExp) => [...text.matchAll(pattern)].at(-1)![1]!;
  return {
    entrypoint: JSON.parse(last(/^ENTRYPOINT (.+)$/gm)),
    command: JSON.parse(last(/^CMD (.+)$/gm)),
    healthcheck: JSON.parse(last(/^HEALTHCHECK .*?CMD (.+)$/gm)),
    environment: Object.fromEntries(
      last(/^ENV (.+)$/gm)
        .split(/\s+/)
        .map((one) => one.split('=') as [string, string]),
    ),
  };
}

export const UNITS = ['escapement-migrate', 'escapement-trigger', 'escapement-serve'];

/** A systemd unit of ops/systemd: its settings, where the last value counts, and its commands as words. */
export function unit(name: string): { settings: Map<string, string>; words: string[][]; commands: string[][] } {
  const lines = read(`systemd/${name}.service`)
    .split('\n')
    .filter((line) => /^\w+=/.test(line));
  const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line)!.slice(1) as [string, string]);
  const words = pairs.filter(([key]) => key === 'ExecStart').map(([, value]) => value.split(' '));
  return { settings: new Map(pairs), words, commands: words.map((one) => one.slice(2)) };
}
