import { useEffect, useState } from 'preact/hooks';

/** The place that the address shows: its part after `#`, which works under any base path. */
export interface Place {
  /** The parts of the path, such as `['schedules', 'nightly-report']`. */
  path: string[];
  query: URLSearchParams;
}

export type Query = Record<string, string | number | boolean | null | undefined>;

/** Parse an address such as `#/schedules/nightly?tab=answers`. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/** The address of a place. Undefined, empty and false values are left out of the query; null is an empty value. */
export function hrefOf(path: string[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value ?? '')])).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export function go(href: string, { replace = false } = {}): void {
  if (!replace) location.hash = href;
  else {
    history.replaceState(history.state, '', href);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return placeOf(hash);
}

/** Decodes a name; one that a person typed into the address may contain a bare `%`. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
