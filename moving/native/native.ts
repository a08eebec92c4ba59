import { NativeReads, type RawSchedule } from './reads';
import { actionsOf } from './standing';

export { isDeadlineExceeded, isNotFound, type ListedNative, type NativeRun, type RawSchedule } from './reads';

export class NativeSchedules extends NativeReads {
  /** The call may be repeated. */
  async setPaused(scheduleId: string, paused: boolean, note: string): Promise<void> {
    const patch = paused ? { pause: note } : { unpause: note };
    const { namespace } = this;
    const identity = this.client.options.identity;
    await this.call(() => this.service.patchSchedule({ namespace, scheduleId, patch, identity }));
  }

  /**
   * If the number of remaining actions changes, the call fails for a schedule that somebody has changed since it was
   * described. Null actions mean no limit.
   */
  async unpause(
    scheduleId: string,
    described: RawSchedule,
    { note, actions }: { note: string; actions: number | null },
  ): Promise<void> {
    if (actionsOf(described) === actions) return this.setPaused(scheduleId, false, note);
    const { schedule, conflictToken } = described;
    const limit = { limitedActions: actions !== null, remainingActions: (actions ?? 0) as never };
    const state = { ...schedule?.state, paused: false, notes: note, ...limit };
    const { namespace } = this;
    const identity = this.client.options.identity;
    const request = { namespace, scheduleId, schedule: { ...schedule, state }, conflictToken, identity };
    await this.call(() => this.service.updateSchedule(request));
  }
}
