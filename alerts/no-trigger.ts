import { v5 as uuidv5 } from 'uuid';
import type { LastPass } from '../store/alerts/turn';

/**
 * The ID of an alert `no_trigger`. The ID depends only on what the triggers had written when the last one died. So all
 * servers, and the trigger that ends the time without triggers, use one ID for the same incident. The time of the last
 * alert pass alone would give two incidents the same ID, if the triggers in between died before their first alert pass.
 */
export function noTriggerAlertId({ installationId, readTo, aliveSince }: LastPass): string {
  const since = aliveSince ? ` ${aliveSince.toISOString()}` : '';
  return uuidv5(`no_trigger ${readTo?.toISOString() ?? 'ever'}${since}`, installationId);
}
