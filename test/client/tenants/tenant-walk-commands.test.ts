import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, inject, it, vi } from 'vitest';
import type { Environment } from '../../../cli/environment';
import { program } from '../../../cli/program';
import {
  alertId,
  asB,
  B,
  CALENDAR,
  freezeId,
  letterId,
  operationId,
  RANGE,
  SECRET,
  said,
  silenceId,
  TIME,
  triedOut,
  useThingsOfB,
} from './things-of-b';

/** Every command that tenant A can use on B's objects. A new one fails until it is added here. */

const { ledger, thingsOfB } = useThingsOfB();

/** Every command that uses a client, with the arguments of A. FILE contains B's schedules as A would declare them. */
const COMMANDS: Record<string, string[]> = {
  'cut-over': [B],
  'roll-back': [B],
  compare: [B],
  export: ['--dry-run'],
  'schedule create': ['-s', B, '--cron', '0 5 * * *', '--type', 'x', '-t', 'x'],
  'schedule describe': ['-s', B],
  'schedule list': [],
  'schedule pause': ['-s', B],
  'schedule unpause': ['-s', B],
  'schedule trigger': ['-s', B],
  'schedule tag': ['--all', '--set-owner', 'mine', '--yes'],
  'schedule undo': [operationId],
  'schedule bulk list': [],
  'schedule bulk show': [operationId],
  'schedule bulk follow': [operationId],
  'schedule bulk cancel': [operationId],
  'schedule apply': ['FILE', '--source', SECRET, '--revision', '9', '--prune', '--take-over'],
  'schedule update': ['-s', B, '--cron', '* * * * *'],
  'schedule versions': ['-s', B],
  'schedule backfill': ['-s', B, '--start', RANGE.start, '--end', RANGE.end],
  'schedule exclude': ['-s', B, TIME],
  'schedule include': ['-s', B, TIME],
  'schedule delete': ['-s', B],
  'firing list': [],
  'firing run-again': [B, RANGE.start],
  'dead-letter list': ['--state', 'all'],
  'dead-letter groups': [],
  'dead-letter show': [letterId],
  'dead-letter redrive': ['--all', '--mode', 'restart'],
  'dead-letter complete': [letterId, '--result', '"mine"'],
  'dead-letter discard': [letterId, '--note', 'not mine'],
  'dead-letter restore': [letterId],
  'alert list': ['--resolved'],
  'alert ack': [alertId],
  'alert silence': ['--schedule', B, '--for', '1h', '--reason', 'quiet'],
  'alert silences': [],
  'alert unsilence': [silenceId],
  'freeze list': ['--ended'],
  'freeze show': [freezeId],
  'freeze end': [freezeId],
  'calendar put': [CALENDAR, '--day', '2098-12-24', '--dry-run'],
  'calendar list': [],
  'calendar show': [CALENDAR],
  'calendar delete': [CALENDAR],
  explain: [B, TIME],
  'source list': [],
  'source reset': [SECRET, '--revision', '0'],
  stats: [B],
  top: [],
  'tenant set': ['b', '--task-queue', '*', '--firings-per-hour', '0'],
  'tenant describe': ['b'],
  'tenant list': [],
  'tenant remove': ['b'],
};
/** Commands of operators, and commands that need no ledger. */
const OF_NO_TENANT = [
  'alert test',
  'completion',
  'dev',
  'doctor',
  'run',
  'archive create',
  'archive list',
  'archive restore',
  'archive show',
  'db grants',
  'serve',
  'token create',
  'token list',
  'token revoke',
  'db migrate',
  'db settings',
  'audit',
  'import crontab',
  'import k8s',
  'purge',
  'schedule next',
  'trigger list',
];

it.each([
  { by: 'ESCAPEMENT_TENANT', tenant: 'a', flags: [] },
  { by: '--tenant', tenant: undefined, flags: ['--tenant', 'a'] },
])('every command does what a client of its tenant does, by $by', async ({ tenant, flags }) => {
  const environment: Environment = {
    databaseUrl: ledger().databaseUrl,
    schema: undefined,
    identity: 'a',
    tenant,
    logLevel: undefined,
    metricsPort: undefined,
    temporalAddress: undefined,
    namespaceProfiles: undefined,
    temporal: () => ({ connectionOptions: { address: inject('temporalAddress') } }),
  };
  const commands = leavesOf(program(environment)).filter((name) => !OF_NO_TENANT.includes(name));
  expect(commands.sort()).toEqual(Object.keys(COMMANDS).sort());

  const folder = await mkdtemp(join(tmpdir(), 'escapement-'));
  const file = join(folder, 'schedules.json');
  await writeFile(file, JSON.stringify([asB()]));
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const exitCode = process.exitCode;
  try {
    const before = await thingsOfB();
    const wrong: string[] = [];
    for (const [name, given] of Object.entries(COMMANDS)) {
      written.mockClear();
      const words = [...name.split(' '), ...given.map((word) => (word === 'FILE' ? file : word)), ...flags];
      const failed = await triedOut(() =>
        program(environment)
          .parseAsync(words, { from: 'user' })
          .then(() => undefined),
      );
      const shown = written.mock.calls.map(([chunk]) => String(chunk)).join('') + failed;
      const own = ['schedule apply', 'source reset'].includes(name) ? said(shown) : shown;
      if (own.includes(SECRET)) wrong.push(`${name} shows ${shown}`);
      if ((await thingsOfB()) !== before) wrong.push(`${name} changes something`);
    }
    expect(wrong).toEqual([]);
  } finally {
    written.mockRestore();
    process.exitCode = exitCode;
    await rm(folder, { recursive: true });
  }
});

/** Names of the commands that do something, such as `schedule pause`. */
function leavesOf(command: Command, above: string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const name = [...above, one.name()];
    return one.commands.length > 0 ? leavesOf(one, name) : one.name() === 'help' ? [] : [name.join(' ')];
  });
}
