import type { PlannedRedrive, Redrive } from '../../../index';
import type { Json } from './json';
import { jsonOnce } from './once';
import { json } from './request';
import type { LetterAnswer, LetterGroupAnswer } from './types';

/** Which letters to read or settle. An empty step or workflow type selects letters without one. */
export interface LetterFilter {
  failureType?: string;
  step?: string;
  workflowType?: string;
  scheduleId?: string;
  state?: string;
  kind?: string;
  message?: string;
}

export interface LettersPage {
  letters: LetterAnswer[];
  nextCursor?: string;
}

export interface LetterGroups {
  groups: LetterGroupAnswer[];
}

/** What a redrive would do: the totals, and each letter that was checked. */
export interface RedrivePlan {
  total: number;
  redriven: number;
  refused: Record<string, number>;
  planned: (Pick<Json<PlannedRedrive>, 'letter' | 'step' | 'again' | 'unanswered' | 'refused'> & {
    mode: string | undefined;
  })[];
}

export interface RedriveCountsAnswer {
  total: number;
  redriven: number;
  refused: Record<string, number>;
}

export function lettersPath(filter: LetterFilter, cursor: string | null): string {
  const asked = { ...filter, pageSize: '50', ...(cursor === null ? {} : { cursor }) };
  return `v1/dead-letters?${new URLSearchParams(asked)}`;
}

export function letterPath(letterId: string): string {
  return `v1/dead-letters/${encodeURIComponent(letterId)}`;
}

export type Mode = 'resume' | 'restart' | 'continue';

export interface RedriveHow {
  mode?: Mode;
  force?: boolean;
  note?: string;
}

export function redriveOne(letterId: string, how: RedriveHow) {
  return jsonOnce(`${letterPath(letterId)}/redrive`, { method: 'POST', body: how });
}

export async function planOne(letterId: string, how: RedriveHow): Promise<RedrivePlan> {
  const body = { ...how, dryRun: true };
  const { letter, mode, plan } = await json<Json<Redrive>>(`${letterPath(letterId)}/redrive`, { method: 'POST', body });
  const again = plan?.siblings ?? [];
  const planned = [{ letter, mode, step: plan?.step, again }];
  const needsForce = again.length > 0 && !how.force;
  return needsForce
    ? { total: 1, redriven: 0, refused: { RedriveNeedsForceError: 1 }, planned }
    : { total: 1, redriven: 1, refused: {}, planned };
}

export function planRedrive(filter: LetterFilter, how: RedriveHow & { atMost: number }): Promise<RedrivePlan> {
  const { mode, force, atMost } = how;
  return json('v1/dead-letters/redrive-plan', { method: 'POST', body: { filter, mode, force, atMost } });
}

export function redriveAll(filter: LetterFilter, how: RedriveHow & { atMost?: number }): Promise<RedriveCountsAnswer> {
  return jsonOnce('v1/dead-letters/redrive', { method: 'POST', body: { filter, ...how } });
}

export function discardOne(letterId: string, note: string) {
  return jsonOnce(`${letterPath(letterId)}/discard`, { method: 'POST', body: { note } });
}

export function countDiscarded(filter: LetterFilter): Promise<{ total: number }> {
  const body = { filter, note: 'only counted', dryRun: true };
  return json('v1/dead-letters/discard', { method: 'POST', body });
}

export function discardAll(filter: LetterFilter, note: string): Promise<{ total: number; discarded: number }> {
  return jsonOnce('v1/dead-letters/discard', { method: 'POST', body: { filter, note } });
}
