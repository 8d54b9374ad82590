export function SectionTitle({ title, count }: { title: string; count: number }) {
  return (
    <>
      <span>{title}</span>
      <span className="muted">{count}</span>
    </>
  );
}

export function FindingDot({ level }: { level: string | undefined }) {
  if (!level) return null;
  return <i className={`level-dot ${level}`} role="img" aria-label={`has a ${level}`} />;
}
