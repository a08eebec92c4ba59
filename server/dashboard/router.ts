import { useEffect, useState } from 'preact/hooks';

/** Where the reader is: the part of the address behind `#`, which works below any path that the server is mounted at. */
export interface Place {
  /** Such as `['schedules', 'nightly-report']`. */
  path: string[];
  query: URLSearchParams;
}

export type Query = Record<string, string | number | boolean | undefined>;

/** The place of an address such as `#/schedules/nightly?tab=answers`. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/** The address of a place; what is undefined, empty or false is left out of its query. */
export function hrefOf(path: string[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export function go(href: string, { replace = false } = {}): void {
  if (!replace) location.hash = href;
  else {
    history.replaceState(history.state, '', href);
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

/** The place, and a new one after each step forth or back. */
export function usePlace(): Place {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return placeOf(hash);
}

/** A name that somebody typed into the address may hold a `%` of its own. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
