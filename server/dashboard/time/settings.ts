import { useEffect, useState } from 'preact/hooks';
import { OWN_ZONE } from './format';

/** Settings of the reader, kept in this browser. */
export interface Settings {
  theme: 'system' | 'light' | 'dark';
  times: 'relative' | 'exact';
  /** The IANA name of the time zone in which times are shown. */
  zone: string;
}

const KEY = 'escapement-settings';
const DEFAULTS: Settings = { theme: 'system', times: 'relative', zone: OWN_ZONE };
const listeners = new Set<() => void>();
let settings = read();

export function useSettings(): Settings {
  const [, setCount] = useState(0);
  useEffect(() => {
    const changed = () => setCount((count) => count + 1);
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return settings;
}

export function changeSettings(change: Partial<Settings>): void {
  settings = { ...settings, ...change };
  localStorage.setItem(KEY, JSON.stringify(settings));
  applyTheme();
  for (const changed of listeners) changed();
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
prefersDark.addEventListener('change', applyTheme);

export function applyTheme(): void {
  const isDark = settings.theme === 'dark' || (settings.theme === 'system' && prefersDark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

function read(): Settings {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return DEFAULTS;
  }
}
