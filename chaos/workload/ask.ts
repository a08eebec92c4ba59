import { setTimeout } from 'node:timers/promises';
import type { AskedFact, Journal } from '../journal';
import type { PlannedAsk } from '../plan';
import type { World } from '../world/world';
import { type ChaosSchedule, optionsOf, specOf } from './definitions';

const AGAIN_AFTER_MILLISECONDS = 500;
const MINUTE = 60_000;
/**
 * Each backfill fills the first 50 seconds of a minute that no other backfill fills. The first of these minutes is
 * about 2,000 minutes before the run.
 */
const BACKFILLED = { minutesAgo: 2_000, milliseconds: 50_000 };

/** The first and last instant at which the schedules of a run are due, inclusive. */
export interface Due {
  from: number;
  to: number;
}

/** Makes the requests for the schedules of a run, as people would make them. */
export class Asker {
  /** The last request for each schedule; requests for the same schedule are made in order. */
  readonly #last = new Map<string, Promise<void>>();
  /** Letters of abandoned starts that the log has. */
  readonly #abandoned = new Set<string>();
  #backfills = 0;

  constructor(
    private readonly world: World,
    private readonly journal: Journal,
    private readonly schedules: readonly ChaosSchedule[],
    private readonly due: Due,
  ) {}

  /** Creates all schedules of the run. */
  async create(): Promise<void> {
    for (const schedule of this.schedules) {
      await this.world.client.create(optionsOf(schedule, this.due.from, this.due.to));
    }
  }

  /** Makes a request; resolves when it was answered or given up. */
  ask(planned: PlannedAsk): Promise<void> {
    const { scheduleId } = planned;
    const turn = (this.#last.get(scheduleId) ?? Promise.resolve()).then(() => this.#ask(planned));
    this.#last.set(scheduleId, turn);
    return turn;
  }

  /** Redrives the open letters: workflows restart, and parked steps continue after their cause is repaired. */
  async settleLetters(): Promise<void> {
    for await (const letter of this.world.client.deadLetters.list({ state: 'open' })) {
      const { letterId, scheduleId, scheduledTime, kind, reason, createdAt } = letter;
      // The checker judges why the start was abandoned, and a redrive clears that reason.
      if (kind === 'start' && !this.#abandoned.has(letterId)) {
        const abandoned = { scheduleId, time: scheduledTime.getTime(), reason, at: createdAt.getTime() };
        this.journal.write({ line: 'abandoned', abandoned });
        this.#abandoned.add(letterId);
      }
      if (kind === 'parked') {
        await this.world.query('insert into mended values ($1) on conflict do nothing', [
          `${scheduleId}/${scheduledTime.toISOString()}`,
        ]);
      }
      await this.#until({ ask: 'redrive', scheduleId }, () =>
        this.world.client.deadLetters.redrive(letterId, { mode: kind === 'parked' ? 'continue' : 'restart' }),
      );
    }
  }

  async #ask({ scheduleId, ask, every }: PlannedAsk): Promise<void> {
    const handle = this.world.client.getHandle(scheduleId);
    const schedule = this.schedules.find((one) => one.scheduleId === scheduleId)!;
    switch (ask) {
      case 'pause':
        return this.#until({ ask, scheduleId }, () => handle.pause('chaos'));
      case 'unpause':
        return this.#until({ ask, scheduleId }, () => handle.unpause('chaos'));
      case 'trigger':
        return this.#until({ ask, scheduleId }, () => handle.trigger());
      case 'update': {
        const grid = { every: every!, offset: schedule.grid!.offset };
        const spec = specOf(grid, this.due.from, this.due.to);
        return this.#until({ ask, scheduleId, every: every! }, () =>
          handle.update((previous) => ({ ...previous, spec })),
        );
      }
      case 'backfill': {
        const minute = Math.floor(this.due.from / MINUTE) - BACKFILLED.minutesAgo + this.#backfills++;
        const range = { from: minute * MINUTE, to: minute * MINUTE + BACKFILLED.milliseconds };
        return this.#until({ ask, scheduleId, ...range }, () =>
          handle.backfill({ start: new Date(range.from), end: new Date(range.to) }),
        );
      }
      case 'delete':
        // The checker treats deletion and creation as one request: occurrences in between are answered when the ID is
        // used again.
        return this.#until({ ask, scheduleId }, () => this.#deleteAndCreate(schedule));
    }
  }

  async #deleteAndCreate(schedule: ChaosSchedule): Promise<void> {
    const { client } = this.world;
    await client
      .getHandle(schedule.scheduleId)
      .delete()
      .catch((error) => {
        if (error.name !== 'ScheduleNotFoundError') throw error;
      });
    await client.create(optionsOf(schedule, this.due.from, this.due.to)).catch((error) => {
      if (error.name !== 'ScheduleAlreadyRunning') throw error;
    });
  }

  /** Repeats a request until it is answered or given up, and records the time. */
  async #until(what: Pick<AskedFact, 'ask' | 'scheduleId' | 'every' | 'from' | 'to'>, work: () => Promise<unknown>) {
    const asked = Date.now();
    for (let tries = 1; ; tries++) {
      const problem = await this.world.asking.through(work).then(
        () => undefined,
        (error: Error) => error,
      );
      if (!problem) {
        this.journal.write({ line: 'asked', asked: { ...what, asked, answered: Date.now(), tries } });
        return;
      }
      // The request is given up. A letter that is still open is listed again later.
      if (Date.now() - asked > MINUTE || what.ask === 'redrive' || problem.name === 'InvalidScheduleError') {
        this.journal.write({ line: 'asked', asked: { ...what, asked, answered: undefined, tries } });
        this.journal.note(`${what.ask} of ${what.scheduleId}: ${problem.message}`);
        return;
      }
      await setTimeout(AGAIN_AFTER_MILLISECONDS);
    }
  }
}
