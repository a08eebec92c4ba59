import { expect } from 'vitest';
import type { TestLedger } from '../ledger';
import { type PackedProject, packedProject } from './packed-project';

/** Code for each kind of project, after its own imports: register and list a schedule, and load every entry. */
export const work = `
  const client = new EscapementClient({ connectionString: process.env.DATABASE_URL });
  const nightly = defineSchedule({
    scheduleId: 'nightly',
    spec: { cron: '0 2 * * *', timezone: 'Europe/Berlin' },
    action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'reports', args: ['emea'] },
    policies: { overlap: 'BUFFER_ONE' },
  });
  await client.create(nightly);
  for await (const { scheduleId, policies } of client.list()) console.log(scheduleId, policies.overlap);
  await client.close();
  console.log([Trigger, EscapementPlugin, withLease, currentFiring, migrate, createTestDatabase].map((value) => typeof value).join());
`;
export const printed = `nightly BUFFER_ONE\n${Array(6).fill('function').join()}`;
const IMPORTS: [names: string, entry: string][] = [
  ['EscapementClient', 'escapement'],
  ['defineSchedule', 'escapement/define'],
  ['Trigger', 'escapement/trigger'],
  ['EscapementPlugin', 'escapement/plugin'],
  ['withLease', 'escapement/activity'],
  ['currentFiring', 'escapement/workflow'],
  ['migrate', 'escapement/migrations'],
  ['createTestDatabase', 'escapement/testing'],
];
export const imports = IMPORTS.map(([names, entry]) => `import { ${names} } from '${entry}';`).join('\n');
export const requires = IMPORTS.map(([names, entry]) => `const { ${names} } = require('${entry}');`).join('\n');

/** Misspelt options, none of which may compile. The client refuses them at run time too, so nothing calls this code. */
const misspelt = `
  const misspelt = (client: EscapementClient) => {
  defineSchedule({
    scheduleId: 'x', spec: { cron: '@daily' }, action: { type: 'startWorkflow', workflowType: 'w', taskQueue: 'q' },
    // @ts-expect-error no such overlap policy
    policies: { overlap: 'SKIPP' },
  });
  defineSchedule({
    scheduleId: 'x', spec: { cron: '@daily' }, action: { type: 'startWorkflow', workflowType: 'w', taskQueue: 'q' },
    // @ts-expect-error no such policy
    policies: { catchUpWindow: '1 day' },
  });
  // @ts-expect-error no such state
  client.firings({ state: 'close' });
  // @ts-expect-error no such filter
  client.list({ tennant: 'acme' });
  };
  void misspelt;
`;
export const typed = `${imports}\nasync function main() {${work}${misspelt}}\nvoid main();\n`;

/** Run a command with the database's URL. @returns its output */
export async function output(
  project: PackedProject,
  databaseUrl: string,
  command: string,
  args: string[],
): Promise<string> {
  const text = await project.mustRun(command, args, { DATABASE_URL: databaseUrl });
  return text.trim();
}

/** The compiler's errors, one line each. */
export async function errors(project: PackedProject): Promise<string[]> {
  const { output } = await project.run('tsc');
  return output.split('\n').filter((line) => /^\S.*error/.test(line));
}

export function tsconfig(options: object): string {
  const compilerOptions = { target: 'es2022', strict: true, types: ['node'], outDir: 'built', ...options };
  return JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts', '*.cts'] });
}

/** Compile an ES module and a CommonJS module in one project. Run both on the ledger, and delete their schedule. */
export async function compileAndRun(
  ledger: TestLedger,
  options: object,
  { byFormer = true, byPresent = true }: { byFormer?: boolean; byPresent?: boolean } = {},
): Promise<void> {
  const files = { 'main.mts': typed, 'main.cts': typed, 'tsconfig.json': tsconfig(options) };
  const tools = ['typescript', '@types/node'];
  if (byFormer) {
    const former = await packedProject({ files, tools, typescript5: true });
    // Types of other packages may need a newer TypeScript than this one.
    expect((await errors(former)).filter((line) => !line.startsWith('..'))).toEqual([]);
  }
  if (!byPresent) return;
  const project = await packedProject({ files, tools });
  expect(await errors(project)).toEqual([]);
  for (const file of ['main.mjs', 'main.cjs']) {
    expect(await output(project, ledger.databaseUrl, 'node', [`built/${file}`])).toBe(printed);
    await ledger.client.getHandle('nightly').delete();
  }
}
