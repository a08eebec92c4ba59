import { type Command, Option } from 'commander';
import { CAN_BE_MUTED } from '../../client/alerts/silence-options';
import type { AlertCondition } from '../../core/alert-defaults';
import { millisecondsOf } from '../../core/duration';
import { InvalidOptionError } from '../../core/errors';
import type { Silence } from '../../index';
import { type ClientOptions, type Environment, withClient, withTenant } from '../environment';
import { parseTime } from '../options/arguments';
import { print, printJson, printTable, printTime } from '../output/output';
import { withTimes } from '../output/output-flags';
import { watched, withWatch } from '../output/watch';

type SilenceOptions = ClientOptions & { json?: boolean };

interface NewSilenceOptions extends SilenceOptions {
  schedule?: string;
  condition?: AlertCondition;
  for?: string;
  until?: Date;
  reason: string;
}

export function addSilenceCommands(alert: Command, environment: Environment): void {
  withTenant(alert.command('silence'))
    .description(
      'Mute alerts for a while: those of one schedule, of one condition, or all. ledger_unavailable is sent all the same, and no_trigger from a server.',
    )
    .option('--schedule <id>', 'only alerts of this schedule')
    .addOption(new Option('--condition <condition>', 'only alerts of this condition').choices(CAN_BE_MUTED))
    .addOption(new Option('--for <duration>', 'how long, such as 2h').conflicts('until'))
    .option('--until <time>', 'end of the silence (ISO 8601; UTC without an offset)', parseTime)
    .requiredOption('--reason <text>', 'why')
    .option('--json', 'print JSON')
    .action(async ({ json, schedule, condition, for: duration, until, reason, ...options }: NewSilenceOptions) => {
      const end = until ?? endOf(duration);
      const silence = await withClient(environment, options, (client) =>
        client.alerts.silence({
          ...(schedule !== undefined && { scheduleId: schedule }),
          ...(condition !== undefined && { condition }),
          ...{ until: end, reason },
        }),
      );
      if (json) printJson(silence);
      else
        print(
          `Until ${printTime(silence.until)} no alerts are sent about ${whatOf(silence)}: silence ${silence.silenceId}.`,
        );
    });

  withWatch(withTimes(withTenant(alert.command('silences'))))
    .description('List the active silences.')
    .option('--json', 'print JSON, one line a row')
    .action(
      watched(async ({ json, ...options }: SilenceOptions) => {
        const silences = await withClient(environment, options, (client) => client.alerts.silences());
        if (json) for (const one of silences) printJson(one);
        else printTable(['SILENCE', 'OF', 'UNTIL', 'BY', 'REASON'], silences.map(rowOf));
      }),
    );

  withTenant(alert.command('unsilence'))
    .description('End a silence early.')
    .argument('<silence-id>', "ID that 'escapement alert silences' shows")
    .option('--json', 'print JSON')
    .action(async (silenceId: string, { json, ...options }: SilenceOptions) => {
      const ended = await withClient(environment, options, (client) => client.alerts.unsilence(silenceId));
      if (json) printJson(ended);
      else print(`Silence ${ended.silenceId} of ${whatOf(ended)} has ended.`);
    });
}

/** @throws {InvalidOptionError} if neither an end nor a duration is given, or the duration is not valid */
function endOf(duration: string | undefined): Date {
  const milliseconds = millisecondsOf(duration);
  if (milliseconds !== undefined && milliseconds > 0) return new Date(Date.now() + milliseconds);
  throw new InvalidOptionError(
    duration === undefined ? 'until' : 'for',
    duration === undefined
      ? 'is missing: give the end, or a duration by --for'
      : `'${duration}' is not a duration; use a text such as '2h'`,
  );
}

function whatOf({ scheduleId, condition, tenant }: Silence): string {
  const what = condition === null ? 'any alert' : `'${condition}'`;
  if (scheduleId !== null) return `${what} of schedule '${scheduleId}'`;
  return tenant === null ? what : `${what} of tenant '${tenant}'`;
}

function rowOf(silence: Silence) {
  const { silenceId, until, actor, reason } = silence;
  return [silenceId, whatOf(silence), printTime(until), actor, reason];
}
