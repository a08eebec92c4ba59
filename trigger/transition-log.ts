import type { Logger, LogLevel } from '@temporalio/common';

/** The most info lines per second of each transition; further lines of it are logged at debug level. */
const LINES_A_SECOND = 50;
const LAGS_AT_MOST = 100_000;

/** A transition of a firing is counted by its log line, which has one of these messages. */
const TRANSITIONS = ['claimed', 'buffered', 'linked', 'closed', 'skipped', 'abandoned', 'adopted', 'reopened'] as const;
type Transition = (typeof TRANSITIONS)[number];

/** What a trigger did since the last report. */
export interface Activity {
  /** How many firings made each transition. */
  transitions: Record<Transition, number>;
  /** How many of the linked firings were recovered before: their trigger died, or they were not linked in time. */
  recovered: number;
  /** Closed firings whose chain did not complete. */
  notCompleted: number;
  /** The number of occurrences in gaps. */
  missed: number;
  /**
   * Lags in milliseconds, in no order, at most 100,000: from a firing's due time until its first workflow task may run.
   */
  lags: number[];
  /** The number of transition lines that were logged only at debug level. */
  linesLeftOut: number;
}

/**
 * Passes log lines on, and uses them to count the transitions of firings. At a high rate only some of the transition
 * lines are logged at info level.
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
