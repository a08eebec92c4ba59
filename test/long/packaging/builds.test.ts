import { describe, expect, it } from 'vitest';
import { useLedger } from '../../support/ledger';
import { packedProject } from '../../support/packages/packed-project';
import {
  compileAndRun,
  imports,
  output,
  printed,
  requires,
  tsconfig,
  typed,
  work,
} from '../../support/packages/typed-project';

const ledger = useLedger('2026-03-01T00:30:00Z');

describe('the packed tarball works in an empty project', () => {
  it('under Jest 30', async () => {
    const test = `${requires}\ntest('works', async () => {${work}});`;
    const project = await packedProject({ files: { 'main.test.js': test }, tools: ['jest', '@jest/globals'] });
    expect(await output(project, ledger().databaseUrl, 'jest', [])).toMatch(/Tests: +1 passed, 1 total/);
  });

  // Without skipLibCheck the former TypeScript takes long: a long scene has it.
  it.each([
    ['node16', { skipLibCheck: false }, { byFormer: false }],
    ['nodenext', { skipLibCheck: true, exactOptionalPropertyTypes: true }, {}],
  ])(
    'compiled with module: %s to ES modules and to CommonJS, by TypeScript 5 and 7: %j',
    async (module, options, by) => {
      await compileAndRun(ledger(), { module, ...options }, by);
    },
  );

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
    expect(await output(project, ledger().databaseUrl, 'node', ['built/main.js'])).toBe(printed);
  });
});
