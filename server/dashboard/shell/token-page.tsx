import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { hasToken, json, setToken, setTokenTenant } from '../api/request';
import type { SessionAnswer } from '../api/types';

/** The page that asks for a token. It is a dialog, since an open dialog below it would otherwise keep the focus. */
export function TokenPage({ onToken }: { onToken: (tenant: string) => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const show = () => ref.current?.showModal();
  useEffect(show, []);
  const [problem, setProblem] = useState(
    hasToken() ? 'The server does not accept this token: it may have expired.' : '',
  );
  const enter = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    setToken(String(token).trim());
    try {
      const { tenant = '' } = await json<SessionAnswer>('v1/session');
      setTokenTenant(tenant);
      onToken(tenant);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    // Escape closes any dialog. This one opens again, since there is nothing else to show.
    <dialog class="token-page" ref={ref} aria-labelledby="token-title" onClose={show}>
      <form class="panel" onSubmit={enter}>
        <div class="body stack">
          <h1 id="token-title">Escapement</h1>
          <label class="field">
            <span>Access token</span>
            <input class="input" name="token" type="password" autocomplete="off" required />
          </label>
          <p class="quiet">
            Ask an operator for one: <code>escapement token create</code>. It stays only in this tab.
          </p>
          {problem === '' ? null : (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <button type="submit" class="button primary">
            Enter
          </button>
        </div>
      </form>
    </dialog>
  );
}
