import type { temporal } from '@temporalio/proto';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';
import { NativeReads, type RawSchedule } from './reads';
import { actionsOf } from './standing';

export { isDeadlineExceeded, isNotFound, type ListedNative, type NativeRun, type RawSchedule } from './reads';

/** The server refuses a patch with a longer note, in bytes. An update has no such limit. */
const LONGEST_PATCH_NOTE = 1_000;

export class NativeSchedules extends NativeReads {
  /** @returns false if a schedule of this name exists */
  async create(request: temporal.api.workflowservice.v1.ICreateScheduleRequest): Promise<boolean> {
    try {
      await this.call(() => this.service.createSchedule(request));
      return true;
    } catch (error) {
      if (grpcCodeOf(error) === grpcStatus.ALREADY_EXISTS) return false;
      throw error;
    }
  }

  /** The call may be repeated. */
  async setPaused(scheduleId: string, paused: boolean, note: string): Promise<void> {
    const patch = paused ? { pause: note } : { unpause: note };
    const { namespace } = this;
    const identity = this.client.options.identity;
    await this.call(() => this.service.patchSchedule({ namespace, scheduleId, patch, identity }));
  }

  /**
   * Null actions mean no limit. A new number of actions, or a note that does not fit a patch, needs an update. If
   * somebody has changed the schedule since it was described, the new scheduler refuses that update, and the old one
   * ignores it.
   */
  async unpause(
    scheduleId: string,
    described: RawSchedule,
    { note, actions }: { note: string; actions: number | null },
  ): Promise<void> {
    // The server ignores a patch with an empty note.
    const isPatch = note !== '' && Buffer.byteLength(note) <= LONGEST_PATCH_NOTE;
    if (isPatch && actionsOf(described) === actions) return this.setPaused(scheduleId, false, note);
    await this.#change(scheduleId, described, { paused: false, notes: note, ...limitOf(actions) });
  }

  /**
   * Sets the number of remaining actions; null for no limit. If somebody has changed the schedule since it was
   * described, the new scheduler refuses the call, and the old one ignores it.
   */
  async setActions(scheduleId: string, described: RawSchedule, actions: number | null): Promise<void> {
    if (actionsOf(described) !== actions) await this.#change(scheduleId, described, limitOf(actions));
  }

  async #change(scheduleId: string, { schedule, conflictToken }: RawSchedule, changed: StateChange): Promise<void> {
    const state = { ...schedule?.state, ...changed };
    const { namespace } = this;
    const identity = this.client.options.identity;
    const request = { namespace, scheduleId, schedule: { ...schedule, state }, conflictToken, identity };
    await this.call(() => this.service.updateSchedule(request));
  }
}

type StateChange = Partial<NonNullable<NonNullable<RawSchedule['schedule']>['state']>>;

function limitOf(actions: number | null): StateChange {
  return { limitedActions: actions !== null, remainingActions: (actions ?? 0) as never };
}
