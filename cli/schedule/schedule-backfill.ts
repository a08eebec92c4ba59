import { type Command, Option } from 'commander';
import type { BackfillResult } from '../../client/backfill/backfill-options';
import { given } from '../../core/given';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import { type Environment, withClient } from '../environment';
import { printTime } from '../output/output';
import { showProgress } from '../output/progress';
import { addCommandForOne, type OneScheduleOptions, onOne, report } from './schedule-commands';

type BackfillFlags = OneScheduleOptions & {
  start: string;
  end: string;
  overlapPolicy?: OverlapPolicy;
  dryRun?: boolean;
  refire?: boolean;
  duringFreeze?: boolean;
};

export function addBackfillCommands(schedule: Command, environment: Environment): void {
  addCommandForOne(
    schedule,
    'backfill',
    'Fire past occurrences in a range of time that have no firing, not even a skipped one. If the overlap policy would skip any, give another by --overlap-policy.',
  )
    .requiredOption('--start <time>', "from this time on: ISO 8601, or local time in the schedule's zone")
    .requiredOption('--end <time>', 'up to this time, inclusive')
    .addOption(new Option('--overlap-policy <policy>', "default: the schedule's").choices(OVERLAP_POLICIES))
    .option('--dry-run', 'write nothing, and show what would be done')
    .option('--refire', "also where it is not known what fired: in retired months and in 'native' gaps")
    .option('--during-freeze', 'even while a freeze holds the schedule')
    .action(
      onOne(async (options: BackfillFlags) => {
        const { scheduleId, start, end, overlapPolicy: overlap, dryRun, refire, duringFreeze } = options;
        const range = { start, end, overlap, refire, ...given({ duringFreeze }) };
        const result = await withClient(environment, options, async (client) => {
          const handle = client.getHandle(scheduleId);
          const planned = await handle.backfill({ ...range, dryRun: true });
          if (dryRun) return planned;
          // A user who gives `--overlap-policy` accepts that this policy skips some firings.
          if (overlap === undefined && planned.skipping > 0) throw new Error(whatIsSkipped(planned));
          const progress = ({ occurrences }: BackfillResult) => showProgress(occurrences, planned.occurrences);
          return handle.backfill({ ...range, progress });
        });
        report(options, result, inWords(result, dryRun ?? false));
      }),
    );

  addCommandForOne(schedule, 'exclude', 'Exclude a future occurrence, so that it does not fire.')
    .usage('<schedule-id> <time> [options]')
    .argument('[time]', "ISO 8601, or local time in the schedule's zone")
    .action(
      onOne(async (options: OneScheduleOptions, _command, time) => {
        const { scheduleId } = options;
        await withClient(environment, options, (client) => client.getHandle(scheduleId).exclude(time!));
        report(options, { scheduleId, time, excluded: true }, `Excluded ${time} from '${scheduleId}'.`);
      }),
    );

  addCommandForOne(schedule, 'include', 'Undo an exclusion while its time is neither due nor planned ahead.')
    .usage('<schedule-id> <time> [options]')
    .argument('[time]', "ISO 8601, or local time in the schedule's zone")
    .action(
      onOne(async (options: OneScheduleOptions, _command, time) => {
        const { scheduleId } = options;
        await withClient(environment, options, (client) => client.getHandle(scheduleId).include(time!));
        report(options, { scheduleId, time, excluded: false }, `Included ${time} in '${scheduleId}' again.`);
      }),
    );
}

function whatIsSkipped({ skipping, filled }: BackfillResult): string {
  return `overlap would skip ${skipping} of the ${filled}, and nothing was written; give --overlap-policy, such as BUFFER_ALL for one after the other, or the schedule's own to mean it`;
}

function inWords(
  { occurrences, filled, skipping, alreadyFired, leftToTrigger, leftToNative, first, last }: BackfillResult,
  dryRun: boolean,
) {
  const skips = skipping > 0 ? `, of which overlap skips ${skipping}` : '';
  const stretch = first ? `, ${printTime(first)} to ${printTime(last)}` : '';
  const left = leftToTrigger > 0 ? `, ${leftToTrigger} left to the trigger` : '';
  const native = leftToNative ? `, ${leftToNative} left to Temporal's own schedule` : '';
  const verb = dryRun ? 'Would fill' : 'Filled';
  return `${verb} ${filled} of ${occurrences} occurrences${stretch}${skips}; ${alreadyFired} have a firing already${left}${native}.`;
}
