import { clockChanges, dayIntervals, updatesAtOnce } from './definitions';
import type { Complaint } from './scene';
import { cancelsAPausedOne, stopsSilently, whichWereSkipped } from './silence';
import { overlapOfTheFirst, triggersWithinASecond } from './triggers';

/** Complaints about Temporal's Schedules that are still open, in the order of the page. */
export const COMPLAINTS: readonly Complaint[] = [
  ...[stopsSilently, whichWereSkipped, updatesAtOnce, triggersWithinASecond, overlapOfTheFirst],
  ...[cancelsAPausedOne, clockChanges, dayIntervals],
];
