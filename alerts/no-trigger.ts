import { v5 as uuidv5 } from 'uuid';
import type { LastPass } from '../store/alerts/turn';

/**
 * The ID of an alert `no_trigger`. It depends only on what the triggers had written when the last one died. So all
 * servers, and the trigger that ends the time without triggers, use one ID for the same incident. The time of the last
 * alert pass would not be enough for that: triggers that die before their first alert pass end one incident, and begin
 * the next.
 */
export function noTriggerAlertId({ installationId, readTo, aliveSince }: LastPass): string {
  const since = aliveSince ? ` ${aliveSince.toISOString()}` : '';
  return uuidv5(`no_trigger ${readTo?.toISOString() ?? 'ever'}${since}`, installationId);
}
