import { Client, Connection } from '@temporalio/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { millisecondsOf } from '../../core/duration';
import { auditNative } from '../../moving/audit/audit';
import type { Environment } from '../environment';
import { parseFilter, parseTime } from '../options/arguments';
import { AuditReport } from './audit-report';

interface AuditFlags {
  from: Date;
  to?: Date;
  namespace?: string;
  query?: string;
  lateAfter?: number;
  all?: boolean;
  json?: boolean;
}

export function addAuditCommand(program: Command, environment: Environment): void {
  program
    .command('audit')
    .description(
      "Report which due times of Temporal's own schedules started a workflow, and which were late or missed; --json prints each. Writes nothing, and needs no database. Exits with 1 if a due time was missed or a schedule could not be read.",
    )
    .addOption(new Option('--native', "Temporal's own schedules").makeOptionMandatory())
    .requiredOption('--from <time>', 'the first due time, ISO 8601, UTC unless it has an offset', parseTime)
    .option('--to <time>', 'the last due time (default: now)', parseTime)
    .option('--namespace <namespace>', 'of Temporal (default: TEMPORAL_NAMESPACE, else default)')
    .option(
      '--query <query>',
      'only schedules that match this list query of Temporal, such as \'Team = "billing"\' (default: all)',
      parseFilter,
    )
    .option(
      '--late-after <duration>',
      "a start with a longer delay counts as late (default: '10 seconds')",
      parseDuration,
    )
    .option('--all', 'also list times that started on time, and pending ones')
    .option('--json', 'print JSON, one line a due time, a schedule and the total')
    .action(async ({ from, to, namespace, query, lateAfter, all, json }: AuditFlags, command: Command) => {
      const now = new Date();
      const until = to ?? now;
      if (from >= until) command.error(`error: --from is not before ${to ? '--to' : 'now'}`);
      const { connectionOptions, namespace: configured } = environment.temporal();
      const connection = Connection.lazy(connectionOptions);
      const report = new AuditReport(json ?? false, all ?? false);
      // On a terminal, the lines of `--json` show the progress themselves.
      const progress = new Progress(process.stderr.isTTY && !(json && process.stdout.isTTY));
      try {
        await auditNative(
          {
            temporal: new Client({ connection }),
            namespace: namespace ?? (configured || 'default'),
            ...{ query, from, to: until, lateAfter },
          },
          {
            onTime: (scheduleId, time) => {
              progress.time();
              report.onTime(scheduleId, time);
            },
            onSchedule: (schedule) => {
              progress.schedule();
              report.onSchedule(schedule);
            },
          },
        );
      } finally {
        progress.end();
        await connection.close();
      }
      report.end();
      if (!report.isClean) process.exitCode = 1;
    });
}

const SHOWN_EVERY_MILLISECONDS = 250;

/** Shows progress on one line of a terminal, which is overwritten at most every 250 milliseconds. */
class Progress {
  #times = 0;
  #schedules = 0;
  #shownAt = 0;

  constructor(private readonly isShown: boolean) {}

  time(): void {
    this.#times += 1;
    if (this.isShown && Date.now() - this.#shownAt >= SHOWN_EVERY_MILLISECONDS) this.#show();
  }

  schedule(): void {
    this.#schedules += 1;
    this.#clear();
  }

  end(): void {
    this.#clear();
  }

  #show(): void {
    this.#shownAt = Date.now();
    process.stderr.write(`\r${this.#schedules} schedules and ${this.#times} due times audited`);
  }

  #clear(): void {
    if (this.#shownAt > 0) process.stderr.write('\r\u001b[K');
  }
}

function parseDuration(value: string): number {
  const milliseconds = millisecondsOf(value);
  if (milliseconds === undefined || milliseconds < 0) throw new InvalidArgumentError("use a duration such as '10s'.");
  return milliseconds;
}
