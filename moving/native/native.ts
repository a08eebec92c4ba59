import { NativeReads, type RawSchedule } from './reads';
import { actionsOf } from './standing';

export { isDeadlineExceeded, isNotFound, type ListedNative, type NativeRun, type RawSchedule } from './reads';

/** Reads and changes Temporal's own schedules of one namespace. */
export class NativeSchedules extends NativeReads {
  /** Pause or unpause a schedule with a note. The call may be repeated. */
  async setPaused(scheduleId: string, paused: boolean, note: string): Promise<void> {
    const patch = paused ? { pause: note } : { unpause: note };
    const { namespace } = this;
    const identity = this.client.options.identity;
    await this.call(() => this.service.patchSchedule({ namespace, scheduleId, patch, identity }));
  }

  /**
   * Unpause a schedule, with a number of remaining actions; null for no limit. If the number changes, the call fails if
   * somebody has changed the schedule since it was described.
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
