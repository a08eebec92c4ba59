import { type Command, Option } from 'commander';
import { RunAgainError } from '../../client/backfill/run-again-error';
import type { RunAgainOptions } from '../../client/backfill/run-again-options';
import { given } from '../../core/given';
import { OVERLAP_POLICIES, type OverlapPolicy } from '../../core/schedule/policies';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { report } from '../schedule/schedule-commands';

type RunAgainFlags = ClientOptions &
  Omit<RunAgainOptions, 'overlap'> & { overlapPolicy?: OverlapPolicy; json?: boolean };

export function addRunAgainCommand(firing: Command, environment: Environment): void {
  withTenant(firing.command('run-again'))
    .description(
      'Fire a past occurrence, for its own nominal time. The occurrence may have been skipped, abandoned or missed, or may have failed. With --confirm, it may also have completed.',
    )
    .argument('<schedule-id>', 'name of the schedule')
    .argument('<time>', "nominal time: ISO 8601, or local time in the schedule's zone")
    .addOption(new Option('--overlap-policy <policy>', "default: the schedule's").choices(OVERLAP_POLICIES))
    .option('--confirm', 'even if the occurrence may already have done its work, such as a completed one')
    .option('--during-freeze', 'even while a freeze holds the schedule')
    .option('--note <text>', 'note for the firing')
    .option('--json', 'print JSON')
    .action(async (scheduleId: string, time: string, options: RunAgainFlags) => {
      const { overlapPolicy: overlap, confirm, note, duringFreeze } = options;
      try {
        const asked = await withClient(environment, options, (client) =>
          client.getHandle(scheduleId).runAgain(time, { overlap, confirm, note, ...given({ duringFreeze }) }),
        );
        report(options, asked, `Requested ${asked.workflowId}. 'escapement explain' shows what happens to it.`);
      } catch (error) {
        if (!(error instanceof RunAgainError) || error.problem !== 'needs_confirmation') throw error;
        throw new Error(error.message.replace(/;[^;]*$/, '; give --confirm to run it again'));
      }
    });
}
