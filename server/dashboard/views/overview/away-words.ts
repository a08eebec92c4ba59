import { counted } from '../../../../core/counted';
import { isCredentials } from '../../../../core/credentials';
import type { Away, Overview } from '../../api/types';

export function awayInWords(away: Away): string {
  return isCredentials(away) ? 'refuses the credentials' : 'does not answer, or refuses calls';
}

/** How many namespaces do not answer or refuse calls, and how many refuse the credentials. */
export function answersInWords(namespaces: Overview['namespaces']): string {
  const away = namespaces.flatMap((one) => one.away ?? []);
  const refusing = away.filter(isCredentials).length;
  const silent = away.length - refusing;
  const words = [
    ...(silent > 0 ? [counted(silent, 'does not answer, or refuses calls', 'do not answer, or refuse calls')] : []),
    ...(refusing > 0 ? [counted(refusing, 'refuses the credentials', 'refuse the credentials')] : []),
  ];
  return words.join('; ') || 'all answer';
}
