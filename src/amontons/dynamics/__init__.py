"""One time step in pieces: free velocity, contact laws, assembly, joints, integration."""
