import { type Command, Option } from 'commander';
import type { BackfillResult } from '../client/backfill';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../core/schedule';
import { type Environment, withClient } from './environment';
import { printTime } from './output';
import { addCommandForOne, type OneScheduleOptions, report } from './schedule-commands';

type BackfillFlags = OneScheduleOptions & {
  start: string;
  end: string;
  overlapPolicy?: OverlapPolicy;
  dryRun?: boolean;
  refire?: boolean;
};

/** `escapement schedule backfill`, `exclude` and `include`: single occurrences and stretches of them. */
export function addBackfillCommands(schedule: Command, environment: Environment): void {
  addCommandForOne(schedule, 'backfill', 'Fire what has not fired in a stretch of the past.')
    .requiredOption('--start <time>', "from this time on: ISO 8601, or local time in the schedule's zone")
    .requiredOption('--end <time>', 'up to this time, inclusive')
    .addOption(new Option('--overlap-policy <policy>', "default: the schedule's").choices(OVERLAP_POLICIES))
    .option('--dry-run', 'write nothing, and say what would be done')
    .option('--refire', 'also in months whose record of firings was retired')
    .action(async (options: BackfillFlags) => {
      const { scheduleId, start, end, overlapPolicy: overlap, dryRun, refire } = options;
      const result = await withClient(environment, options, (client) =>
        client.getHandle(scheduleId).backfill({ start, end, overlap, dryRun, refire }),
      );
      report(options, result, inWords(result, dryRun ?? false));
    });

  addCommandForOne(schedule, 'exclude', 'Have a coming occurrence not fire.')
    .argument('<time>', "ISO 8601, or local time in the schedule's zone")
    .action(async (time: string, options: OneScheduleOptions) => {
      const { scheduleId } = options;
      await withClient(environment, options, (client) => client.getHandle(scheduleId).exclude(time));
      report(options, { scheduleId, time, excluded: true }, `Excluded ${time} from '${scheduleId}'.`);
    });

  addCommandForOne(schedule, 'include', 'Take an exclusion back while its time is ahead.')
    .argument('<time>', "ISO 8601, or local time in the schedule's zone")
    .action(async (time: string, options: OneScheduleOptions) => {
      const { scheduleId } = options;
      await withClient(environment, options, (client) => client.getHandle(scheduleId).include(time));
      report(options, { scheduleId, time, excluded: false }, `Included ${time} in '${scheduleId}' again.`);
    });
}

function inWords({ occurrences, filled, alreadyFired, leftToTrigger, first, last }: BackfillResult, dryRun: boolean) {
  const stretch = first ? `, ${printTime(first)} to ${printTime(last)}` : '';
  const left = leftToTrigger > 0 ? `, ${leftToTrigger} left to the trigger` : '';
  const verb = dryRun ? 'Would fill' : 'Filled';
  return `${verb} ${filled} of ${occurrences} occurrences${stretch}; ${alreadyFired} have a firing already${left}.`;
}
