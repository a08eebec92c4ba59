import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ms from 'ms';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../core/defaults';
import { SCHEDULE_FIELDS } from '../../core/definition/schedule-fields';
import { TRANSITIONS } from '../../core/firing';
import type { ScheduleOptions } from '../../core/schedule/options';
import type { ScheduleSpec } from '../../core/schedule/spec';
import { commandsPage } from '../../scripts/commands-page';
import { withDefaults } from '../../scripts/defaults-page';

const ROOT = resolve(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const PARTS = ['spec', 'action', 'policies', 'state'] as const satisfies (keyof ScheduleOptions)[];
/** What `describe` adds, and `create` ignores. */
const DESCRIBED = [
  ...['definition', 'info', 'source', 'raw', 'state.completed', 'state.completedAt', 'state.completedBy'],
  ...['state.pausedAt', 'state.pausedBy', 'state.pausedUntil', 'state.specError', 'state.setAsideAt', 'state.shadow'],
];
const SPEC: Record<keyof ScheduleSpec, true> = {
  ...{ cron: true, at: true, cronExpressions: true, calendars: true, intervals: true, dst: true, timezone: true },
  ...{ skip: true, skipDays: true, onlyDays: true, calendarDays: true, startAt: true, endAt: true, jitter: true },
};

describe('the documentation', () => {
  it('has code blocks that compile against the package as it is built', async () => {
    const folder = join(ROOT, '.cache', 'readme');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const pages = read('README.md') + read('docs/installing.md');
    const blocks = [...pages.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)];
    expect(blocks.map(([, name]) => name)).toEqual(['deploy.ts', 'workflows.ts', 'worker.ts']);
    for (const [, name, code] of blocks) writeFileSync(join(folder, name!), code!);
    writeFileSync(
      join(folder, 'activities.ts'),
      'export declare function collect(region: string, day: string): Promise<string>;\n' +
        'export declare function send(report: string): Promise<void>;\n',
    );
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.json',
        compilerOptions: { paths: {}, exactOptionalPropertyTypes: true },
        include: ['*.ts'],
      }),
    );
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => expect.fail(error.stdout));
  });

  it('has every default, as `npx tsx scripts/write-defaults.ts` writes it', () => {
    const page = read('docs/defaults.md');
    expect(page).toBe(withDefaults(page));
  });

  it('ends each symptom of docs/troubleshooting.md in one command', () => {
    const [, ...symptoms] = read('docs/troubleshooting.md').trim().split(/\n## /);
    const other = symptoms.filter((text) => !/\n```sh\nescapement [^\n]+\n```$/.test(text.trim()));
    expect(other.map((text) => text.split('\n')[0])).toEqual([]);
  });

  it('names in docs/schedules.md the defaults that the code has', () => {
    const { overlap, catchupWindowMilliseconds, catchupLimit, onUncertain, pauseOnFailure, preStart, parkedHolds } =
      DEFAULTS.policies;
    const page = read('docs/schedules.md');
    const shown = (field: string) =>
      new RegExp(`^\\| \`policies\\.${field}\`[^|]* \\| ([^|]+) \\|`, 'm').exec(page)?.[1];
    expect(shown('overlap')).toBe(`\`'${overlap}'\`, one (\`ALLOW_ALL\`: no limit)`);
    expect(catchupWindowMilliseconds).toBe(ms('1 year'));
    expect(shown('catchupWindow')).toBe(`1 year, ${catchupLimit}`);
    expect(shown('onUncertain')).toBe(`\`'${onUncertain}'\``);
    expect(shown('pauseOnFailure')).toBe(`\`${pauseOnFailure}\``);
    expect(shown('preStart')).toBe(`\`${preStart}\``);
    expect(shown('parkedHolds')).toBe(`\`${parkedHolds}\`, no limit`);
  });

  it('has every command, as `npx tsx scripts/write-commands.ts` writes it', () => {
    expect(read('docs/commands.md')).toBe(commandsPage());
  });

  it('has each field that a schedule may have, once, in the table of docs/schedules.md', () => {
    const [, table] = read('docs/schedules.md').split(/^## /m);
    const { options, ...parts } = { ...SCHEDULE_FIELDS, spec: Object.keys(SPEC) };
    const known = [
      ...options.filter((name) => !PARTS.includes(name as 'spec')),
      ...Object.entries(parts).flatMap(([part, names]) => names.map((name) => `${part}.${name}`)),
    ].filter((name) => !DESCRIBED.includes(name));
    const rows = table!.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([\w.]+)`/g)].map(([, name]) => name!));
    expect(named.sort()).toEqual(known.sort());
  });

  it('draws every legal transition, and no other', () => {
    const drawn = [...read('docs/architecture.md').matchAll(/^ {2}(\S+) --> (\w+)/gm)].map(
      ([, from, to]) => `${from === '[*]' ? 'absent' : from} → ${to}`,
    );
    const legal = Object.entries(TRANSITIONS).flatMap(([from, tos]) => tos.map((to) => `${from} → ${to}`));
    expect(drawn.sort()).toEqual(legal.filter((edge) => !edge.endsWith('absent')).sort());
  });

  it('links to files that are there', () => {
    const pages = [
      'README.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      ...readdirSync(join(ROOT, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ];
    for (const page of pages) {
      for (const [, target] of read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        expect(() => read(join(page, '..', target!)), `${page} links to ${target}`).not.toThrow();
      }
    }
  });
});
