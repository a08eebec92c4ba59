import { createHash } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import type { RawSchedule } from '../../../moving/native/native';

const { ScheduleSpec, ScheduleAction, SchedulePolicies } = temporal.api.schedule.v1;

/** The fingerprint that earlier builds stored: of the keys in the order of the answer. */
export function earlierFingerprintOf({ schedule }: RawSchedule): string {
  const hash = createHash('sha256');
  hash.update(ScheduleSpec.encode(schedule!.spec!).finish());
  hash.update(ScheduleAction.encode(schedule!.action!).finish());
  hash.update(SchedulePolicies.encode(schedule!.policies!).finish());
  return hash.digest('base64');
}
