import { NativeReads, type RawSchedule } from './reads';

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

  /** Replace a schedule, unless somebody has changed it since it was described. */
  async update(scheduleId: string, schedule: NonNullable<RawSchedule['schedule']>, token: Uint8Array | undefined) {
    const { namespace } = this;
    const identity = this.client.options.identity;
    const request = { namespace, scheduleId, schedule, conflictToken: token, identity };
    await this.call(() => this.service.updateSchedule(request));
  }
}
