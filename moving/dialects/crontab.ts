import { InvalidOptionError } from '../../core/errors';
import type { ScheduleOptions } from '../../core/schedule/options';
import { crontabSpec } from './crontab-expression';
import { type CrontabJob, crontabLines } from './crontab-lines';
import { camelCase, keep, Names, type Reading } from './found';

export interface CrontabOptions {
  /** Whether each line has a user before the command, as in /etc/crontab. @default false */
  system?: boolean;
  /** The IANA time zone of the machine. @default UTC, with a note that you must decide */
  timeZone?: string;
  /** Task queue of the workflows. @default 'crons' */
  taskQueue?: string;
}

/** Lines that cannot be translated are listed as problems. */
export function readCrontab(text: string, options: CrontabOptions = {}): Reading {
  const { jobs, problems } = crontabLines(text, options.system ?? false);
  const reading: Reading = { found: [], problems };
  const names = new Names();
  for (const job of jobs) {
    try {
      readJob(job, names.unique(nameOf(job.command)), options, reading);
    } catch (error) {
      if (!(error instanceof InvalidOptionError)) throw error;
      problems.push({ where: `line ${job.line}`, problem: error.message });
    }
  }
  problems.sort((a, b) => lineOf(a.where) - lineOf(b.where));
  return reading;
}

function readJob(job: CrontabJob, scheduleId: string, options: CrontabOptions, reading: Reading): void {
  const { spec, became, decide } = crontabSpec(job.expression, scheduleId);
  const zone = job.variables.CRON_TZ ?? options.timeZone;
  const what = zoneNotes(job, options);
  const workflowType = camelCase(nameOf(job.command));
  const locked = /(^|[\s;&|(/])(flock|setlock|chpst -L|run-one)\s/.test(job.command);
  const schedule: ScheduleOptions = {
    scheduleId,
    spec: { ...spec, ...(zone === undefined ? {} : { timezone: zone }) },
    action: { type: 'startWorkflow', workflowType, taskQueue: options.taskQueue ?? 'crons', args: [commandOf(job)] },
    policies: { overlap: locked ? 'SKIP' : 'ALLOW_ALL', catchupLimit: 0 },
  };
  keep(reading, {
    where: `line ${job.line}: ${job.expression} ${job.user === undefined ? '' : `${job.user} `}${job.command}`,
    schedule,
    became: [
      `${job.expression} -> ${'cron' in spec ? 'spec.cron' : 'spec.cronExpressions'}`,
      ...became,
      ...what.became,
      locked
        ? 'a lock in the command -> overlap SKIP'
        : 'cron starts a job whatever still runs -> overlap ALLOW_ALL; SKIP leaves out what would overlap',
      'cron makes up for nothing -> catchupLimit 0; 1 runs the latest that was missed',
    ],
    decide: [
      ...decide,
      ...what.decide,
      `the command line is the argument of the workflow '${workflowType}': write that workflow, and its task queue`,
      ...commandNotes(job),
    ],
  });
}

function zoneNotes({ variables }: CrontabJob, { timeZone }: CrontabOptions): { became: string[]; decide: string[] } {
  const { CRON_TZ: zone, TZ } = variables;
  const ofCommand = TZ === undefined ? [] : [`TZ=${TZ} is of the command alone with most crons; some schedule by it`];
  if (zone !== undefined) return { became: [`CRON_TZ=${zone} -> spec.timezone`], decide: ofCommand };
  if (timeZone !== undefined) return { became: [`--time-zone ${timeZone} -> spec.timezone`], decide: ofCommand };
  return {
    became: [],
    decide: ['cron read this in the zone of its machine, and here it is UTC: set spec.timezone', ...ofCommand],
  };
}

/** The command as cron runs it: cron removes the backslash before a `%`, which would else begin the standard input. */
function commandOf({ command }: CrontabJob): string {
  return command.replaceAll('\\%', '%');
}

function commandNotes({ command, user, variables }: CrontabJob): string[] {
  const kept = Object.entries(variables).filter(([name]) => !['CRON_TZ', 'TZ', 'MAILTO', 'MAILFROM'].includes(name));
  const { MAILTO } = variables;
  return [
    ...(user === undefined ? [] : [`it ran as the user ${user}`]),
    ...(kept.length === 0
      ? []
      : [`it had the variables ${kept.map(([name, value]) => `${name}=${value}`).join(', ')}`]),
    ...(MAILTO === undefined || MAILTO === ''
      ? []
      : [`MAILTO=${MAILTO} was sent what it printed: see docs/alerts.md for who is told of a failure here`]),
    ...(/(?<!\\)%/.test(command) ? ['% in the command begins its standard input'] : []),
  ];
}

/**
 * The name of a job from its command: for `/usr/local/bin/backup.sh --full` it is `backup`. Words before the program
 * itself are skipped.
 */
function nameOf(command: string): string {
  const given = command.split(/\s+/);
  const words = given.map((word) => word.replace(/^[("'{[]+|[)"'};\]]+$/g, ''));
  const program = words.find(
    (word, index) =>
      word !== '' &&
      !isOfCd(given, index) &&
      !/^[A-Za-z_]\w*=/.test(word) &&
      !/^[-&|<>]/.test(word) &&
      !/^\d+$/.test(word) &&
      !/(^|\/)(cd|test|sudo|env|nice|ionice|flock|timeout|exec|bash|sh|zsh|nohup|python3?|node|php|ruby|perl|\.|\[)$/.test(
        word,
      ) &&
      !/\.(lock|lck|pid)$/.test(word),
  );
  const base = (program ?? words[0] ?? '').split('/').filter(Boolean).at(-1) ?? '';
  const name = base.replace(/\.(sh|py|rb|pl|js|ts|php|bash|jar|exe)$/, '').replace(/[^A-Za-z0-9._-]+/g, '-');
  return name.replace(/^[-.]+|[-.]+$/g, '').slice(0, 100) || 'job';
}

/** Whether a word belongs to a `cd` before the program, as in `cd /srv/app && ./sync`. */
function isOfCd(words: string[], index: number): boolean {
  const before = words.slice(0, index);
  const at = before.lastIndexOf('cd');
  return at !== -1 && !before.slice(at).some((word) => word === '&&' || word.endsWith(';'));
}

function lineOf(where: string): number {
  return Number(/\d+/.exec(where)?.[0] ?? 0);
}
