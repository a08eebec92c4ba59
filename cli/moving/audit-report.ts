import ms from 'ms';
import type { AuditedSchedule } from '../../moving/audit/audit';
import { AUDIT_CLASSES, type AuditCounts, type AuditedTime, CLASS_WORDS, noCounts } from '../../moving/audit/classes';
import { print, printJson, printTable, printTime } from '../output/output';

/** Maximum number of times per schedule that are listed for a person; `--json` lists all. */
const TOLD_AT_MOST = 20;

export class AuditReport {
  readonly #counts = noCounts();
  readonly #schedules: AuditedSchedule[] = [];
  readonly #told = new Map<string, { lines: string[][]; more: number }>();
  #problems = 0;
  #scheduleCount = 0;

  constructor(
    private readonly json: boolean,
    private readonly all: boolean,
  ) {}

  /** Whether every schedule could be read, and no due time was missed. */
  get isClean(): boolean {
    return this.#counts.missed === 0 && this.#problems === 0;
  }

  onTime(scheduleId: string, time: AuditedTime): void {
    this.#counts[time.class] += 1;
    if (this.json) printJson({ row: 'time', scheduleId, ...timeAsJson(time) });
    else if (this.all || (time.class !== 'on_time' && time.class !== 'pending')) this.#tell(scheduleId, time);
  }

  onSchedule(schedule: AuditedSchedule): void {
    this.#scheduleCount += 1;
    if (schedule.problem !== undefined) this.#problems += 1;
    if (this.json) printJson({ row: 'schedule', ...scheduleAsJson(schedule) });
    else {
      this.#printTold(schedule.scheduleId);
      this.#schedules.push(schedule);
    }
    this.#told.delete(schedule.scheduleId);
  }

  end(): void {
    const due = total(this.#counts);
    const numbers = { schedules: this.#scheduleCount, problems: this.#problems, due, counts: this.#counts };
    if (this.json) {
      printJson({ row: 'total', ...numbers });
      return;
    }
    if (this.#scheduleCount === 0) {
      print('There is no native schedule to audit.');
      return;
    }
    const rows = this.#schedules.sort((a, b) => (a.scheduleId < b.scheduleId ? -1 : 1)).map(rowOf);
    printTable(
      ['SCHEDULE', 'DUE', ...AUDIT_CLASSES.map((one) => CLASS_WORDS[one].toUpperCase()), 'WORST'],
      [...rows, ['all', String(due), ...AUDIT_CLASSES.map((one) => String(this.#counts[one])), undefined]],
    );
    for (const { scheduleId, problem } of this.#schedules) if (problem) print(`${scheduleId}: not read: ${problem}`);
    for (const { scheduleId, server } of this.#schedules)
      if (server !== 'same') print(`${scheduleId}: ${SERVER[server]}`);
    print(`\n${verdict(this.#counts, due)}`);
  }

  #tell(scheduleId: string, time: AuditedTime): void {
    const told = this.#told.get(scheduleId) ?? { lines: [], more: 0 };
    this.#told.set(scheduleId, told);
    const line = [printTime(new Date(time.nominal))!, CLASS_WORDS[time.class], time.reason ?? time.workflowId ?? ''];
    if (told.lines.length < TOLD_AT_MOST) told.lines.push(line);
    else told.more += 1;
  }

  #printTold(scheduleId: string): void {
    const told = this.#told.get(scheduleId);
    if (!told) return;
    print(scheduleId);
    for (const [time, words, reason] of told.lines) print(`  ${time}  ${words!.padEnd(18)}  ${reason}`.trimEnd());
    if (told.more > 0) print(`  … and ${told.more} more: --json has each`);
    print('');
  }
}

const SERVER = {
  other:
    'the server lists other times than this program computes from the spec; where it adds no jitter, the audit used the times of the server',
  silent: 'the server listed no times; the audit computed them from the spec, with the maximum jitter',
};

function verdict({ missed, unknown, late, skipped }: AuditCounts, due: number): string {
  if (due === 0) return 'Nothing was due.';
  const others = [
    ...(late > 0 ? [`${late} started late`] : []),
    ...(skipped > 0 ? [`${skipped} were skipped since the previous run was still open`] : []),
    ...(unknown > 0 ? [`of ${unknown} Temporal keeps too little to say`] : []),
  ];
  const rest = others.length > 0 ? ` ${others.join(', ')}.` : '';
  return missed === 0
    ? `None of ${due} due times was missed.${rest}`
    : `${missed} of ${due} due times were missed.${rest}`;
}

function rowOf({ scheduleId, counts, worstLag }: AuditedSchedule): (string | undefined)[] {
  return [
    scheduleId,
    String(total(counts)),
    ...AUDIT_CLASSES.map((one) => String(counts[one])),
    worstLag === undefined ? undefined : ms(worstLag),
  ];
}

function scheduleAsJson({ worstLag, ...schedule }: AuditedSchedule) {
  return { ...schedule, due: total(schedule.counts), worstLag: worstLag ?? null };
}

function timeAsJson({ nominal, due, start, ...time }: AuditedTime) {
  const started = start === undefined ? {} : { startedAt: new Date(start), lag: start - due };
  return { scheduledTime: new Date(nominal), dueAt: new Date(due), ...time, ...started };
}

function total(counts: AuditCounts): number {
  return AUDIT_CLASSES.reduce((sum, one) => sum + counts[one], 0);
}
