import type { Client } from '@temporalio/client';

/** Which schedules are moved, and when. Give `scheduleIds`, `query` or `all`. */
export interface MoveOptions {
  /** A client of the Temporal server that has the native schedules. */
  from: Client;
  /** These. @default as `query` or `all` say */
  scheduleIds?: string[];
  /** Those that this list query of Temporal matches, as far as they were imported. @default as the others say */
  query?: string;
  /** All that were imported. @default false */
  all?: boolean;
  /** The side that ends starts the nominal times before this instant; the other side starts the rest. @default as soon as possible */
  at?: Date;
  /** Called after each schedule. @default none */
  progress?: (progress: { done: number; total: number }) => unknown;
}

/** {@link MoveOptions}, and what becomes of what waits there. */
export interface CutOverOptions extends MoveOptions {
  /** Run here, for its own time, what the native schedule had buffered: a pause drops it there. @default false: it is named */
  takeBuffer?: boolean;
}

/** One schedule that was to be moved. */
export interface MovedSchedule {
  /** Its name. */
  scheduleId: string;
  /** `moved` now, `unchanged` where it had been before, `refused` where it cannot be. */
  status: 'moved' | 'unchanged' | 'refused';
  /** Why it was refused. */
  reason?: string;
  /** The first nominal time of the side that goes on; left out where there is none, or it is paused. */
  from?: Date;
  /** Whether it is paused on both sides, since a person had paused it. */
  paused: boolean;
  /** Workflows that the side that ends had started, and that ran. */
  running: string[];
  /** Nominal times that waited in the native schedule and are dropped there, and not taken over. */
  buffered: Date[];
  /** Nominal times that run here for their own time: what was buffered, and what neither side had come to. */
  taken: Date[];
  /** What was not carried back, or goes beyond what it should: of a roll back. */
  notes: string[];
}

/** What a cut-over or a roll back did. */
export interface MoveResult {
  /** In the order in which they were done. */
  schedules: MovedSchedule[];
  /** Whether none was refused. */
  complete: boolean;
}
