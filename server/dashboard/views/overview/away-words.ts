import { counted } from '../../../../core/counted';
import { isCredentials } from '../../../../core/credentials';
import type { Away, Overview } from '../../api/types';

export function awayInWords(away: Away): string {
  return isCredentials(away) ? 'refuses the credentials' : 'does not answer';
}

/** How many namespaces do not answer, and how many refuse the credentials. */
export function answersInWords(namespaces: Overview['namespaces']): string {
  const away = namespaces.flatMap((one) => one.away ?? []);
  const refusing = away.filter(isCredentials).length;
  const silent = away.length - refusing;
  const words = [
    ...(silent > 0 ? [`${counted(silent, 'does', 'do')} not answer`] : []),
    ...(refusing > 0 ? [`${counted(refusing, 'refuses', 'refuse')} the credentials`] : []),
  ];
  return words.join(', ') || 'all answer';
}
