import type { EscapementClient } from '../client/client';
import type { ScheduleSummary } from '../client/describe/schedule-description';
import { type CompiledSpec, compileSpec } from '../core/occurrences';
import { FIRINGS_AT_MOST, NobodyToRunError, TooManyFiringsError } from './errors';

/** Returns the reason why a workflow type would not run on a task queue; undefined if it would run. */
export type Obstacle = (workflowType: string, taskQueue: string) => string | undefined;

/** Checks schedules before virtual time advances, so that a test usually fails before any time has passed. */
export class Admission {
  readonly #compiled = new Map<string, CompiledSpec>();

  constructor(
    private readonly client: EscapementClient,
    private readonly obstacle: Obstacle,
  ) {}

  /**
   * @returns the live schedules
   * @throws {TooManyFiringsError | NobodyToRunError}
   */
  async check(from: number, to: number): Promise<ScheduleSummary[]> {
    const schedules: ScheduleSummary[] = [];
    for await (const schedule of this.client.list()) {
      schedules.push(schedule);
      const { scheduleId, state, action } = schedule;
      const pausedUntil = state.pausedUntil?.getTime();
      const isPaused = state.paused && (pausedUntil === undefined || pausedUntil > to);
      if (isPaused || state.specError !== undefined || state.remainingActions === 0) continue;
      const count = this.#compile(schedule).count(pausedUntil === undefined ? from : pausedUntil - 1, to);
      if (count > FIRINGS_AT_MOST) throw new TooManyFiringsError(scheduleId, count);
      if (count > 0 && !state.shadow) this.admit(scheduleId, action.workflowType, action.taskQueue);
    }
    return schedules;
  }

  admit(scheduleId: string, workflowType: string, taskQueue: string): void {
    const obstacle = this.obstacle(workflowType, taskQueue);
    if (obstacle !== undefined) throw new NobodyToRunError(scheduleId, workflowType, taskQueue, obstacle);
  }

  #compile({ scheduleId, spec, info }: ScheduleSummary): CompiledSpec {
    const name = `${info.version} ${info.createdAt.getTime()} ${scheduleId}`;
    let compiled = this.#compiled.get(name);
    if (!compiled) {
      compiled = compileSpec(spec, { scheduleId });
      this.#compiled.set(name, compiled);
    }
    return compiled;
  }
}
