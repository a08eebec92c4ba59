import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export function Panel({
  title,
  aside,
  flush = false,
  children,
}: {
  title: string;
  aside?: ComponentChildren;
  /** Whether the panel has no padding, as tables need it. */
  flush?: boolean;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      <div class={flush ? 'body flush' : 'body'}>{children}</div>
    </section>
  );
}

export function PageHead({
  title,
  sub,
  children,
}: {
  title: ComponentChildren;
  sub?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
        <h1>{title}</h1>
        {sub === undefined ? null : <div class="sub">{sub}</div>}
      </div>
      {children === undefined ? null : <div class="row">{children}</div>}
    </div>
  );
}
