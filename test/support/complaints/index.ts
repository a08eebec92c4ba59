import { clockChanges, dayIntervals, updatesAtOnce } from './definitions';
import type { Complaint } from './scene';
import { cancelsAPausedOne, stopsSilently, whichWereSkipped } from './silence';
import { overlapOfTheFirst, triggersWithinASecond } from './triggers';

/** What users of Temporal's Schedules have reported and what is open still, in the order of the page. */
export const COMPLAINTS: readonly Complaint[] = [
  ...[stopsSilently, whichWereSkipped, updatesAtOnce, triggersWithinASecond, overlapOfTheFirst],
  ...[cancelsAPausedOne, clockChanges, dayIntervals],
];
