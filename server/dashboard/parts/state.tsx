import type { ComponentChildren } from 'preact';
import { NO_ANSWER } from '../api/request';
import type { Resource } from '../api/resource';

/**
 * The content of a resource, a loading state, or its problem. With a problem, the former content stays visible below
 * it.
 */
export function Shown<Answer>({
  of,
  children,
}: {
  of: Resource<Answer>;
  children: (data: Answer) => ComponentChildren;
}) {
  return (
    <>
      {of.problem ? (
        <p class="problem" role="alert">
          {of.problem.message}
          {of.problem.status === NO_ANSWER ? ' This page tries again every few seconds.' : ''}
        </p>
      ) : null}
      {of.data === undefined ? (
        of.problem ? null : (
          <p class="empty" role="status">
            Reading …
          </p>
        )
      ) : (
        children(of.data)
      )}
    </>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export type Tone = 'good' | 'bad' | 'warn' | 'run' | 'none';

/** A badge with a background colour, and with a symbol for every tone but `none`. */
export function Tag({ tone = 'none', children }: { tone?: Tone; children: ComponentChildren }) {
  return (
    <span class={`tag ${tone}`}>
      {SIGNS[tone] ? <span aria-hidden="true">{SIGNS[tone]}</span> : null}
      {children}
    </span>
  );
}

const SIGNS: Record<Tone, string> = { good: '✓', bad: '✕', warn: '!', run: '▸', none: '' };
