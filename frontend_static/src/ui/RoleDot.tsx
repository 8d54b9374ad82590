/** A role's own colour. A role that was just bound may not have told it yet. */
export function RoleDot({ color }: { color: string }) {
  return (
    <svg className="role-mark" viewBox="0 0 10 10" aria-hidden>
      <circle cx="5" cy="5" r="4.5" fill={color || "currentcolor"} />
    </svg>
  );
}
