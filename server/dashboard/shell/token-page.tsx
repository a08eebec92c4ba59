import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { hasToken, json, setToken } from '../api/request';
import { forgetAll } from '../api/resource';

/** The page that asks for a token. */
export function TokenPage({ onToken }: { onToken: () => void }) {
  const [problem, setProblem] = useState(
    hasToken() ? 'The server does not accept this token: it may have expired.' : '',
  );
  const enter = async (event: JSX.TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget).get('token');
    setToken(String(token).trim());
    try {
      await json('v1/overview');
      forgetAll();
      onToken();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <main class="main token-page">
      <form class="panel" onSubmit={enter}>
        <div class="body stack">
          <h1>Escapement</h1>
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
    </main>
  );
}
