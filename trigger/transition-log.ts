import type { Logger, LogLevel } from '@temporalio/common';

/** Lines of one kind within a second; what is beyond is said at debug alone, and counted. */
const LINES_A_SECOND = 50;
/** So many lags of a minute are kept: 8 bytes each. */
const LAGS_AT_MOST = 100_000;

/** Each transition of a firing has one line, so the lines are counted. */
const TRANSITIONS = ['claimed', 'buffered', 'linked', 'closed', 'skipped', 'abandoned', 'adopted', 'reopened'] as const;
type Transition = (typeof TRANSITIONS)[number];

/** What a trigger did since it was last asked. */
export interface Activity {
  /** How many firings made each transition. */
  transitions: Record<Transition, number>;
  /** Of those linked, those that were lost before. */
  recovered: number;
  /** Of those closed, those that did not complete. */
  notCompleted: number;
  /** Occurrences in gaps. */
  missed: number;
  /** From when firings were due to when their first workflow task may run, milliseconds, in no order; of 100,000 at most. */
  lags: number[];
  /** Lines that were said at debug alone. */
  linesLeftOut: number;
}

/**
 * Passes on what a trigger says, and counts the transitions of firings by their lines. At a high rate only some of the lines
 * of transitions are at info. Warnings and errors all stay.
 */
export class TransitionLog implements Logger {
  #activity = nothingYet();
  #second = Number.NEGATIVE_INFINITY;
  readonly #linesOfSecond = new Map<string, number>();

  constructor(
    private readonly logger: Logger,
    private readonly monotonic: () => number = () => performance.now(),
  ) {}

  log(level: LogLevel, message: string, meta?: Record<string, unknown>): void {
    this.#count(message, meta);
    const isOneOfMany = level === 'INFO' && isTransition(message) && !this.#hasRoom(message);
    if (isOneOfMany) this.#activity.linesLeftOut++;
    this.logger.log(isOneOfMany ? 'DEBUG' : level, message, meta);
  }

  trace(message: string, meta?: Record<string, unknown>): void {
    this.log('TRACE', message, meta);
  }

  debug(message: string, meta?: Record<string, unknown>): void {
    this.log('DEBUG', message, meta);
  }

  info(message: string, meta?: Record<string, unknown>): void {
    this.log('INFO', message, meta);
  }

  warn(message: string, meta?: Record<string, unknown>): void {
    this.log('WARN', message, meta);
  }

  error(message: string, meta?: Record<string, unknown>): void {
    this.log('ERROR', message, meta);
  }

  /** What was done since the last call. */
  take(): Activity {
    const taken = this.#activity;
    this.#activity = nothingYet();
    return taken;
  }

  #count(message: string, { recovery, lagMilliseconds, outcome, count }: Record<string, unknown> = {}): void {
    const activity = this.#activity;
    if (message === 'gap' && typeof count === 'number') activity.missed += count;
    if (!isTransition(message)) return;
    activity.transitions[message]++;
    if (message === 'closed' && outcome !== 'completed') activity.notCompleted++;
    if (message !== 'linked') return;
    if (recovery) activity.recovered++;
    if (typeof lagMilliseconds === 'number' && activity.lags.length < LAGS_AT_MOST) activity.lags.push(lagMilliseconds);
  }

  #hasRoom(message: Transition): boolean {
    const second = Math.floor(this.monotonic() / 1_000);
    if (second !== this.#second) this.#linesOfSecond.clear();
    this.#second = second;
    const lines = (this.#linesOfSecond.get(message) ?? 0) + 1;
    this.#linesOfSecond.set(message, lines);
    return lines <= LINES_A_SECOND;
  }
}

function isTransition(message: string): message is Transition {
  return TRANSITIONS.includes(message as Transition);
}

function nothingYet(): Activity {
  return {
    transitions: { claimed: 0, buffered: 0, linked: 0, closed: 0, skipped: 0, abandoned: 0, adopted: 0, reopened: 0 },
    ...{ recovered: 0, notCompleted: 0, missed: 0, lags: [], linesLeftOut: 0 },
  };
}
