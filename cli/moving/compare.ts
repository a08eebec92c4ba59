import type { Command } from 'commander';
import type { EscapementClient } from '../../client/client';
import type { ComparedOccurrence, Verdict } from '../../moving/compare/compare-options';
import { type Environment, withClient } from '../environment';
import { parseFilter, parseTime } from '../options/arguments';
import { print, printJson, printTime } from '../output/output';
import { readListed } from '../schedule/schedule-commands';
import { type MovingFlags, withMoving, withTemporalClient } from './moving-commands';

type CompareFlags = MovingFlags & { all?: boolean; query?: string; start?: Date; end?: Date; differences?: boolean };

const SHADOW_ONLY = 'Only schedules in shadow record occurrences here: import the others with --shadow.';

export function addCompareCommand(program: Command, environment: Environment): void {
  withMoving(program.command('compare'), 'an occurrence')
    .description(
      'Compare each start of Temporal’s own schedules with the start that the schedule in shadow would have made.',
    )
    .argument('[schedule-ids...]', 'the schedules to compare')
    .option('--all', 'all imported schedules')
    .option('--query <query>', 'schedules that match this list query of Temporal', parseFilter)
    .option('--start <time>', 'from this nominal time on (default: when each was imported)', parseTime)
    .option('--end <time>', 'up to this nominal time (default: 30 seconds ago)', parseTime)
    .option('--differences', 'print only differences')
    .action(async (scheduleIds: string[], flags: CompareFlags, command: Command) => {
      const { all, query, start, end, differences } = flags;
      const given = [scheduleIds.length > 0, query !== undefined, all ?? false].filter(Boolean);
      if (given.length !== 1) command.error('error: name the schedules, or give --query, or --all');
      const which = all ? { all } : query === undefined ? { scheduleIds } : { query };
      const onlyThere = new Set<string>();
      let isShadowOnly = false;
      const counts: Record<Verdict, number> = { same: 0, overlap: 0, only_native: 0, only_here: 0, unknown: 0 };
      await withTemporalClient(environment, (from) =>
        withClient(environment, flags, async (client) => {
          for await (const one of client.compare({ from, start, end, ...which })) {
            counts[one.verdict] += 1;
            if (one.verdict === 'only_native') onlyThere.add(one.scheduleId);
            if (differences && !isDifference(one)) continue;
            if (flags.json) printJson(one);
            else print(inWords(one));
          }
          if (!flags.json) isShadowOnly = await isAnyOutOfShadow(client, onlyThere);
        }),
      );
      if (!flags.json) {
        print(summary(counts));
        if (isShadowOnly) print(SHADOW_ONLY);
      }
      if (counts.only_native + counts.only_here > 0) process.exitCode = 1;
    });
}

async function isAnyOutOfShadow(client: EscapementClient, scheduleIds: Iterable<string>): Promise<boolean> {
  for (const scheduleId of scheduleIds) {
    // Somebody may have deleted the schedule meanwhile.
    const schedule = await readListed(client, scheduleId);
    if (schedule && !schedule.state.shadow) return true;
  }
  return false;
}

function isDifference({ verdict }: ComparedOccurrence): boolean {
  return verdict === 'only_native' || verdict === 'only_here';
}

function inWords({ scheduleId, scheduledTime, verdict, nativeLag, hereLag }: ComparedOccurrence): string {
  const native = nativeLag === undefined ? 'not started there' : `started there after ${nativeLag} ms`;
  const here = hereLag === undefined ? 'nothing here' : `here after ${hereLag} ms`;
  const why = {
    same: 'same',
    overlap: 'same: an earlier run was open',
    only_native: 'ONLY THERE',
    only_here: 'ONLY HERE',
    unknown: 'unknown, older than the retention there',
  };
  return `${scheduleId} ${printTime(scheduledTime)}: ${why[verdict]}; ${native}, ${here}`;
}

function summary({ same, overlap, only_native, only_here, unknown }: Record<Verdict, number>): string {
  const alike = `${same} the same, ${overlap} left out for overlap by both`;
  return `${alike}, ${only_native} only there, ${only_here} only here, ${unknown} unknown.`;
}
