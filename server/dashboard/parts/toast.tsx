import { useEffect, useState } from 'preact/hooks';

interface Said {
  id: number;
  text: string;
  isBad: boolean;
}

const SHOWN_MILLISECONDS = 8_000;
let said: Said[] = [];
let changed: () => void = () => undefined;

export function say(text: string, { isBad = false } = {}): void {
  const one = { id: Date.now() + Math.random(), text, isBad };
  said = [...said, one];
  changed();
  setTimeout(() => {
    said = said.filter((other) => other !== one);
    changed();
  }, SHOWN_MILLISECONDS);
}

export async function doing(action: () => Promise<unknown>, done: string): Promise<boolean> {
  try {
    await action();
    say(done);
    return true;
  } catch (error) {
    say((error as Error).message, { isBad: true });
    return false;
  }
}

export function Toasts() {
  const [, setCount] = useState(0);
  useEffect(() => {
    changed = () => setCount((count) => count + 1);
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {said.map(({ id, text, isBad }) => (
        <div key={id} class={isBad ? 'toast bad' : 'toast'}>
          {text}
        </div>
      ))}
    </div>
  );
}
