import type { PlannedRedrive } from '../../../index';
import type { Json } from './json';
import { json } from './request';
import type { LetterAnswer, LetterGroupAnswer } from './types';

/** Which letters to read or settle. */
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
  planned: Json<PlannedRedrive>[];
}

export interface RedriveCountsAnswer {
  total: number;
  redriven: number;
  refused: Record<string, number>;
}

export function lettersPath(filter: LetterFilter, cursor: string | null): string {
  const asked = Object.entries({ ...filter, pageSize: '50', cursor: cursor ?? undefined }).filter(([, value]) => value);
  return `v1/dead-letters?${new URLSearchParams(asked as [string, string][])}`;
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
  return json(`${letterPath(letterId)}/redrive`, { method: 'POST', body: how });
}

export function planRedrive(filter: LetterFilter, how: RedriveHow & { atMost: number }): Promise<RedrivePlan> {
  const { mode, force, atMost } = how;
  return json('v1/dead-letters/redrive-plan', { method: 'POST', body: { filter, mode, force, atMost } });
}

export function redriveAll(filter: LetterFilter, how: RedriveHow & { atMost?: number }): Promise<RedriveCountsAnswer> {
  return json('v1/dead-letters/redrive', { method: 'POST', body: { filter, ...how } });
}

export function discardOne(letterId: string, note: string) {
  return json(`${letterPath(letterId)}/discard`, { method: 'POST', body: { note } });
}

export function discardAll(filter: LetterFilter, note: string): Promise<{ total: number; discarded: number }> {
  return json('v1/dead-letters/discard', { method: 'POST', body: { filter, note } });
}
